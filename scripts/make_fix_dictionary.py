"""Write the FIX 4.4 dictionary as Python from its table, or check that what is on disk is what it gives.

`python -m nox -s dictionary` writes `fix44_values.py` and `fix44.py` from `fix44.toml`; with `-- --check` it
writes nothing, names each of them that differs and exits with 1. Without nox that is
`PYTHONPATH=src python -m scripts.make_fix_dictionary`.
"""

import argparse
import sys
import textwrap
import tomllib
from pathlib import Path
from typing import Any

from tapemark.fix.dictionary import DataType, Field

FOLDER = Path(__file__).resolve().parent.parent / "src" / "tapemark" / "fix"
TABLE = "fix44.toml"

_WIDTH = 110
_PYTHON_TYPES = {
    DataType.INT: "int",
    DataType.SEQ_NUM: "int",
    DataType.UTC_TIMESTAMP: "int",
    DataType.BOOLEAN: "bool",
    DataType.DATA: "bytes",
    DataType.LOCAL_MKT_DATE: "dt.date",
} | dict.fromkeys(
    (
        DataType.AMT,
        DataType.FLOAT,
        DataType.PERCENTAGE,
        DataType.PRICE,
        DataType.PRICE_OFFSET,
        DataType.QTY,
    ),
    "Decimal",
)
_FRAMING = ("BeginString", "BodyLength", "MsgType", "CheckSum")

_GENERATED = "Generated from fix44.toml by `python -m nox -s dictionary`; edit the table, not this module."
_VALUES_PREAMBLE = f'''"""The values of those fields of FIX 4.4 that have a list of them.

{_GENERATED}
"""

import enum
'''
_PREAMBLE = f'''"""FIX 4.4 as far as this package knows it: its dictionary and the typed messages.

{_GENERATED}
"""

import datetime as dt
from decimal import Decimal
from typing import ClassVar

from tapemark.fix import fix44_values as values
from tapemark.fix.dictionary import Block, Dictionary, Group, fields_of
from tapemark.fix.record import Extra, MessageRecord, Record, slots_of
'''


class Table:
    """The table, with what the modules are written from."""

    def __init__(self, text: str) -> None:
        self._table: dict[str, Any] = tomllib.loads(text)
        rows = [(int(tag), *row.split()) for tag, row in self._table["fields"].items()]
        self._fields = {name: Field(tag, name, DataType(data_type)) for tag, name, data_type in rows}
        self._values: dict[str, dict[str, str]] = self._table["values"]
        self._groups: dict[str, Any] = self._table["groups"]
        self._messages: dict[str, Any] = self._table["messages"]
        self._entry_of = {group["count"]: entry for entry, group in self._groups.items()}

    def modules(self) -> dict[str, str]:
        """Write the modules, by name."""
        return {"fix44_values.py": self._values_module(), "fix44.py": self._types_module()}

    def _values_module(self) -> str:
        names = textwrap.fill(
            ", ".join(self._values), _WIDTH, initial_indent="    ", subsequent_indent="    "
        )
        listed = f"# fmt: off\n_LISTED = (\n{names}\n)\n# fmt: on\n"
        listed += "BY_FIELD: dict[str, type[enum.Enum]] = {kind.__name__: kind for kind in _LISTED}\n"
        listed += '"""Each enumeration by the name of its field."""\n'
        return "\n\n".join([_VALUES_PREAMBLE, *(self._enumeration(name) for name in self._values), listed])

    def _types_module(self) -> str:
        typed = {name: message for name, message in self._messages.items() if message.get("typed")}
        parts = [_PREAMBLE + "\n" + self._dictionary()]
        parts += [self._record(entry) for entry in self._entries_of(self._table["header"])]
        parts.append(self._header())
        entries: dict[str, None] = {}
        for message in typed.values():
            entries |= dict.fromkeys(self._entries_of(message))
        parts += [self._record(entry) for entry in entries]
        parts += [self._message(name) for name in typed]
        parts.append(f"Typed = {' | '.join(typed)}\n" + '"""A message that has a type here."""\n')
        return "\n\n".join(parts)

    def _entries_of(self, block: dict[str, str]) -> list[str]:
        """Name the types of a block's groups, each after those of the groups within it."""
        found: list[str] = []
        for name in _names(block):
            if name in self._entry_of:
                found += [*self._entries_of(self._groups[self._entry_of[name]]), self._entry_of[name]]
        return found

    def _enumeration(self, name: str) -> str:
        members = "".join(f'    {member} = "{value}"\n' for value, member in self._values[name].items())
        article = f"The values of {name} ({self._fields[name].tag})."
        return f'class {name}(enum.Enum):\n    """{article}"""\n\n{members}'

    def _dictionary(self) -> str:
        rows = ", ".join(
            f"{field.tag} {name} {field.data_type.value}".replace(" ", "~")
            for name, field in self._fields.items()
        )
        filled = _filled(rows).replace("~", " ").split("\n")
        lines = ["# fmt: off", '_FIELDS = """', *filled, '"""']
        lines += ["DICTIONARY = Dictionary(", "    fields=fields_of(_FIELDS, values.BY_FIELD),"]
        lines += [f"    {part}={self._block(self._table[part])}," for part in ("header", "trailer")]
        lines.append("    messages={")
        lines += [f'        b"{one["type"]}": {self._block(one)},' for one in self._messages.values()]
        lines += ["    },", "    groups={"]
        for group in self._groups.values():
            tag = self._fields[group["count"]].tag
            lines.append(f'        {tag}: Group({tag}, "{group["attribute"]}", {self._block(group)}),')
        lines += [
            "    },",
            ")",
            '"""The fields, messages and groups of the table."""',
            "# fmt: on",
            "",
        ]
        return "\n".join(lines)

    def _block(self, block: dict[str, str]) -> str:
        words = []
        for name in block["fields"].split():
            field, mark, _ = name.partition("!")
            words.append(f"{self._fields[field].tag}{mark}")
        text = " ".join(words)
        quoted = f'"{text}"' if len(text) < _WIDTH // 2 else f'"""\n{_filled(text)}\n"""'
        unread = " ".join(str(self._fields[name].tag) for name in block.get("unread", "").split())
        return f'Block({quoted}, unread="{unread}")' if unread else f"Block({quoted})"

    def _record(self, entry: str) -> str:
        group = self._groups[entry]
        tag = self._fields[group["count"]].tag
        slots = self._slots(f"DICTIONARY.groups[{tag}].block", group)
        doc = f"One entry of {group['count']} ({tag})."
        return self._class(entry, "Record", doc, slots, self._attributes(group))

    def _header(self) -> str:
        header = self._table["header"]
        slots = self._slots("DICTIONARY.header", header)
        return self._class("Header", "Record", "The header of a message.", slots, self._attributes(header))

    def _message(self, name: str) -> str:
        message = self._messages[name]
        kind = message["type"]
        slots = self._slots(f'DICTIONARY.messages[b"{kind}"]', message)
        slots += f'    MSG_TYPE: ClassVar = b"{kind}"\n    DICTIONARY: ClassVar = DICTIONARY\n'
        slots += "    HEADER: ClassVar = Header\n"
        slots += "    SIGNATURE: ClassVar = slots_of(DICTIONARY, DICTIONARY.trailer, {})[0]\n"
        attributes = ["header: Header", *self._attributes(message)]
        attributes += ["signature: bytes | None = None", "extra: Extra = ()"]
        return self._class(name, "MessageRecord", f"MsgType {kind}.", slots, attributes)

    def _slots(self, block: str, fields: dict[str, str]) -> str:
        counts = [name for name in _names(fields) if name in self._entry_of]
        entries = ", ".join(f"{self._fields[name].tag}: {self._entry_of[name]}" for name in counts)
        arguments = ("DICTIONARY", block, f"{{{entries}}}")
        line = f"    SLOTS: ClassVar = slots_of({', '.join(arguments)})\n"
        if len(line) <= _WIDTH + 1:
            return line
        rows = "".join(f"        {argument},\n" for argument in arguments)
        return f"    SLOTS: ClassVar = slots_of(\n{rows}    )\n"

    def _attributes(self, block: dict[str, str]) -> list[str]:
        attributes = []
        for word in block["fields"].split():
            name, mark, _ = word.partition("!")
            field = self._fields[name]
            if field.data_type is DataType.LENGTH or name in _FRAMING:
                continue
            if name in self._entry_of:
                entry = self._entry_of[name]
                kind, attribute = f"tuple[{entry}, ...]", self._groups[entry]["attribute"]
            else:
                kind = f"values.{name}" if name in self._values else _PYTHON_TYPES.get(field.data_type, "str")
                attribute = field.attribute
            attributes.append(f"{attribute}: {kind}" + ("" if mark else " | None = None"))
        return attributes

    def _class(self, name: str, base: str, doc: str, slots: str, attributes: list[str]) -> str:
        body = "".join(f"    {attribute}\n" for attribute in attributes)
        head = f"class {name}({base}, frozen=True, gc=False, kw_only=True):\n"
        return f'{head}    """{doc}"""\n\n{slots}\n{body}'


def _names(block: dict[str, str]) -> list[str]:
    return block["fields"].replace("!", "").split()


def _filled(text: str) -> str:
    return textwrap.fill(text, _WIDTH, break_long_words=False, break_on_hyphens=False)


def main(arguments: list[str] | None = None, folder: Path = FOLDER) -> int:
    """Run the command; `folder` is where table and modules lie."""
    parser = argparse.ArgumentParser(description="Write the FIX dictionary's modules, or check them.")
    parser.add_argument("--check", action="store_true", help="write nothing, fail where one differs")
    is_check = parser.parse_args(arguments).check
    wanted = Table((folder / TABLE).read_text(encoding="utf-8")).modules()
    paths = {folder / name: text for name, text in wanted.items()}
    differ = [path for path, text in paths.items() if not path.is_file() or path.read_text("utf-8") != text]
    for path in differ:
        if is_check:
            print(f"{path.name}: differs from what {TABLE} gives")
        else:
            path.write_text(paths[path], encoding="utf-8")
    done = ("differs" if len(differ) == 1 else "differ") if is_check else "written"
    print(f"FIX dictionary: {len(differ)} module{'' if len(differ) == 1 else 's'} {done}")
    return 1 if is_check and differ else 0


if __name__ == "__main__":
    sys.exit(main())
