"""Tables of TOML files that people write by hand, checked key by key.

Every fault is one line that names the file and the key, what was expected and what came. A key that is not
known is one, since a misspelt key would silently do nothing. The format is TOML 1.0, as `tomllib` reads it.
"""

import tomllib
from collections.abc import Collection
from datetime import date
from pathlib import Path
from typing import NoReturn

from benchgate.errors import Unreadable

REASON_LENGTH = 500
"""The longest text, in characters: a reason is shown in a cell of a table."""

_SHOWN = 60


class Table:
    """A table of a TOML file, with the place that messages name."""

    def __init__(self, file: Path, content: dict[str, object], place: str = "") -> None:
        self._file, self._content, self._place = file, content, place

    @classmethod
    def read(cls, root: Path, file: Path) -> "Table":
        """Read the TOML file at `file`, a path below `root`; where there is none, an empty table.

        Raises:
            Unreadable: It cannot be read, or is not TOML.
        """
        try:
            return cls(file, tomllib.loads((root / file).read_text(encoding="utf-8")))
        except FileNotFoundError:
            return cls(file, {})
        except OSError as fault:
            raise Unreadable(f"{file}: {fault.strerror}") from None
        except RecursionError:
            raise Unreadable(f"{file}: expected TOML, got arrays or tables nested too deeply") from None
        except ValueError as fault:  # not TOML, not UTF-8, or a number of more digits than Python takes
            raise Unreadable(f"{file}: expected TOML: {fault}") from None

    @property
    def keys(self) -> tuple[str, ...]:
        """The keys, in the order of the file."""
        return tuple(self._content)

    def allow(self, known: Collection[str]) -> None:
        """Check that there is no key but the known ones.

        Raises:
            Unreadable: There is another one.
        """
        for key in self._content:
            if key not in known:
                self.refuse("", f"keys among {', '.join(known)}", key)

    def table(self, key: str) -> "Table":
        """Return the table at `key`; an empty one where there is none.

        Raises:
            Unreadable: It is not a table.
        """
        value = self._content.get(key, {})
        return (
            Table(self._file, value, self._at(key))
            if isinstance(value, dict)
            else self.refuse(key, "a table")
        )

    def tables(self, key: str) -> tuple["Table", ...]:
        """Return the array of tables at `key`; none where there is no such key.

        Raises:
            Unreadable: It is not an array of tables.
        """
        value = self._content.get(key, [])
        if not isinstance(value, list) or not all(isinstance(item, dict) for item in value):
            return self.refuse(key, "an array of tables")
        return tuple(Table(self._file, item, f"{self._at(key)}[{n}]") for n, item in enumerate(value))

    def text(self, key: str) -> str:
        """Return the text at `key`.

        Raises:
            Unreadable: There is none, it is blank, has more than one line or is longer than `REASON_LENGTH`.
        """
        value = self._content.get(key)
        if not isinstance(value, str) or not value.strip() or len(value.splitlines()) > 1:
            return self.refuse(key, "one line of text")
        if len(value) > REASON_LENGTH:
            return self.refuse(key, f"at most {REASON_LENGTH} characters", f"{len(value)}")
        return value.strip()

    def share(self, key: str, most_percent: int, default_percent: float | None = None) -> float:
        """Return the percentage at `key` as a share: 0.005 for 0.5.

        Raises:
            Unreadable: There is none and no default, or it is not above 0 and at most `most_percent`.
        """
        value = self._content.get(key, default_percent)
        if isinstance(value, bool) or not isinstance(value, int | float) or not 0 < value <= most_percent:
            return self.refuse(key, f"per cent, a number above 0 and at most {most_percent}")
        return value / 100

    def date(self, key: str) -> date:
        """Return the date at `key`.

        Raises:
            Unreadable: There is none, or it is a text or has a time of day.
        """
        value = self._content.get(key)
        # Not isinstance: a date with a time is one, too.
        return value if type(value) is date else self.refuse(key, "a date such as 2026-12-31, without quotes")

    def refuse(self, key: str, expected: str, got: str | None = None) -> NoReturn:
        """Refuse what stands at `key`; `got` says what that is, where it is not the value itself.

        Raises:
            Unreadable: Always.
        """
        where = ": ".join(filter(None, [str(self._file), self._at(key)]))
        if got is None:
            got = _shown(self._content[key]) if key in self._content else "nothing"
        raise Unreadable(f"{where}: expected {expected}, got {got}")

    def _at(self, key: str) -> str:
        return ".".join(filter(None, [self._place, key]))


def _shown(value: object) -> str:
    if isinstance(value, dict):
        return "a table"
    if isinstance(value, list):
        return "an array"
    if isinstance(value, bool):
        return str(value).lower()
    try:
        text = repr(value) if isinstance(value, str) else str(value)
    except ValueError:  # a number in hexadecimal may have more digits than Python writes
        return "a number of thousands of digits"
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}..."
