"""GitHub's description of its REST API, cut down to the routes that `scripts/gate_comment.py` calls.

`openapi.json` is made from `generated/api.github.com.json` of the npm package @octokit/openapi, which has the
description that GitHub publishes under the MIT licence:

    python -m tests.scripts.github_mock.description FILE

Nothing in it is changed; what the routes do not refer to is left out.
"""

import hashlib
import json
import re
import sys
from pathlib import Path
from typing import Any

CUT = Path(__file__).with_name("openapi.json")
ROUTES = {
    "/repos/{owner}/{repo}/pulls": ("get",),
    "/repos/{owner}/{repo}/issues/{issue_number}/comments": ("get", "post"),
    "/repos/{owner}/{repo}/issues/comments/{comment_id}": ("patch", "delete"),
}
REFERENCE = re.compile(r'"#/components/(\w+)/([\w.-]+)"')


def cut(whole: dict[str, Any]) -> dict[str, Any]:
    """Keep the routes and all that they refer to."""
    paths = {path: {method: whole["paths"][path][method] for method in ROUTES[path]} for path in ROUTES}
    components: dict[str, dict[str, Any]] = {}
    todo = [json.dumps(paths)]
    while todo:
        for kind, name in REFERENCE.findall(todo.pop()):
            kept = components.setdefault(kind, {})
            if name not in kept:
                kept[name] = whole["components"][kind][name]
                todo.append(json.dumps(kept[name]))
    head = {name: whole[name] for name in ("openapi", "info", "servers")}
    return head | {"paths": paths, "components": components}


def example(name: str) -> Any:
    """Return an example that GitHub gives; a fresh one, to be filled in."""
    return json.loads(CUT.read_text())["components"]["examples"][name]["value"]


def main(file: Path) -> None:
    """Write `openapi.json` from the description in `file`."""
    content = file.read_bytes()
    provenance = {"package": "@octokit/openapi 23.0.2", "sha256": hashlib.sha256(content).hexdigest()}
    text = json.dumps({"x-provenance": provenance} | cut(json.loads(content)), indent=1, sort_keys=True)
    CUT.write_text(text + "\n")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
