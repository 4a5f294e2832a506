"""Compare the table of FIX 4.4 with another description of the standard: QuickFIX's `FIX44.xml`.

`python -m scripts.oracle_fix_dictionary PATH`, where PATH is the file that the quickfix package installs as
`share/quickfix/FIX44.xml`. Every row is compared: number, name and data type of each field; the values of
those that list any; the order, the required fields and the groups within of each group; the fields of each
message. So is that the table is closed: what that file allows in a message or group and the table knows, it
lists there.

Prints each difference and exits with 1 when there is one.
"""

import argparse
import sys
import tomllib
import xml.etree.ElementTree as ET
from pathlib import Path
from typing import Any

TABLE = Path(__file__).resolve().parent.parent / "src" / "tapemark" / "fix" / "fix44.toml"


class Standard:
    """The other description."""

    def __init__(self, path: Path) -> None:
        root = ET.parse(path).getroot()  # noqa: S314 - a file of an installed package
        self.fields = {one.attrib["name"]: one for one in root.iterfind("fields/field")}
        self._components = {one.attrib["name"]: one for one in root.iterfind("components/component")}
        self.header, self.trailer = self.members(root.find("header")), self.members(root.find("trailer"))
        self.messages = {
            one.attrib["msgtype"]: self.members(one) for one in root.iterfind("messages/message")
        }

    def members(self, parent: ET.Element | None) -> dict[str, tuple[bool, Any]]:
        """Name the fields of a message or entry in order: whether each is required, and its entries' own."""
        found: dict[str, tuple[bool, Any]] = {}
        for one in parent if parent is not None else ():
            name, is_required = one.attrib["name"], one.attrib["required"] == "Y"
            if one.tag == "component":
                found |= self.members(self._components[name])
            else:
                found[name] = (is_required, self.members(one) if one.tag == "group" else None)
        return found


class Comparison:
    """The differences that were found."""

    def __init__(self, table: dict[str, Any], standard: Standard) -> None:
        self.found: list[str] = []
        self._table, self._standard = table, standard
        self._known = {row.split()[0] for row in table["fields"].values()}
        self._entries = {group["count"]: group for group in table["groups"].values()}

    def run(self) -> None:
        """Compare everything."""
        for tag, row in self._table["fields"].items():
            name, data_type = row.split()
            theirs = self._standard.fields[name]
            self._same(f"number of {name}", tag, theirs.attrib["number"])
            self._same(f"type of {name}", data_type.upper(), theirs.attrib["type"])
        for name, values in self._table["values"].items():
            listed = {one.attrib["enum"] for one in self._standard.fields[name]}
            self._same(f"values of {name}", set(values), listed)
        self._block("header", self._table["header"], self._standard.header, is_ordered=True)
        self._block("trailer", self._table["trailer"], self._standard.trailer, is_ordered=True)
        for name, message in self._table["messages"].items():
            is_ordered = name != "ExecutionReport"
            self._block(name, message, self._standard.messages[message["type"]], is_ordered=is_ordered)

    def _block(self, where: str, ours: dict[str, str], theirs: dict[str, Any], *, is_ordered: bool) -> None:
        words = ours["fields"].split()
        names = [word.removesuffix("!") for word in words]
        expected = [name for name in theirs if name in self._known]
        self._same(
            f"fields of {where}", *((names, expected) if is_ordered else (sorted(names), sorted(expected)))
        )
        required = {word[:-1] for word in words if word.endswith("!")} - {names[0] if "count" in ours else ""}
        expected_required = {name for name in expected if theirs[name][0]} - {
            names[0] if "count" in ours else ""
        }
        self._same(f"required fields of {where}", required, expected_required)
        for name in expected:
            if theirs[name][1] is not None:
                self._same(
                    f"first field of {name}", *(self._first(self._entries[name]), next(iter(theirs[name][1])))
                )
                self._block(f"{where}, {name}", self._entries[name], theirs[name][1], is_ordered=True)
        for name, (_, inner) in theirs.items():
            if inner is not None and name not in self._known:
                kept = set(ours.get("unread", "").split())
                self._same(
                    f"known fields of the unknown group {name} of {where}", self._within(inner) - kept, set()
                )

    def _within(self, members: dict[str, Any]) -> set[str]:
        found = {name for name in members if name in self._known}
        for _, inner in members.values():
            found |= self._within(inner) if inner is not None else set()
        return found

    def _first(self, group: dict[str, str]) -> str:
        return group["fields"].split()[0].removesuffix("!")

    def _same(self, what: str, ours: object, theirs: object) -> None:
        if ours != theirs:
            self.found.append(f"{what}: the table has {ours}, the other has {theirs}")


def main(arguments: list[str] | None = None) -> int:
    """Run the command."""
    parser = argparse.ArgumentParser(description="Compare the FIX table with QuickFIX's dictionary.")
    parser.add_argument("path", type=Path, help="FIX44.xml of the quickfix package")
    path = parser.parse_args(arguments).path
    comparison = Comparison(tomllib.loads(TABLE.read_text(encoding="utf-8")), Standard(path))
    comparison.run()
    for line in comparison.found:
        print(line)
    print(f"FIX dictionary: {len(comparison.found) or 'no'} differences")
    return 1 if comparison.found else 0


if __name__ == "__main__":
    sys.exit(main())
