"""What is said of a night, in Markdown and on the terminal."""

import io
import re

import msgspec
import pytest
from rich.console import Console

from benchgate.nights.comparison import Compared, RowChange, compare
from benchgate.nights.findings import Findings
from benchgate.nights.noise import Limits
from benchgate.nights.record import Night
from benchgate.nights.summary import MAX_CHARACTERS, markdown
from benchgate.nights.view import print_night
from tests.benchgate.nights.samples import IDS, commit, night, nights
from tests.benchgate.samples import ENVIRONMENT

NIGHT = night({IDS[0]: 105, IDS[1]: 50}, 23)
STEP = nights([100.0] * 20 + [105.0] * 4)


def findings(one: Night = NIGHT, **more: object) -> Findings:
    return msgspec.structs.replace(Findings(night=one, bounds=Limits()), **more)


def printed(found: Findings) -> str:
    output = io.StringIO()
    print_night(Console(file=output, width=200, highlight=False, emoji=False), found)
    return output.getvalue()


def changed() -> Findings:
    return findings(STEP[23], compared=compare(STEP[23], STEP[:23]))


@pytest.mark.parametrize(
    ("found", "headline"),
    [
        (findings(), "Measured, and compared with no other night."),
        (findings(compared=Compared()), "No change can be told yet: 0 nights of this machine before, 10"),
        (findings(compared=Compared(before=9)), "No change can be told yet: 9 nights"),
        (findings(compared=Compared(before=10)), "No row changed."),
        (changed(), "1 row changed: 1 slower, 0 faster."),
        (findings(excess=("x",), compared=Compared(before=10)), "Not to be kept: the night is noisier"),
        (findings(lacking=("a", "b"), excess=("x",)), "Not to be kept: 2 rows have no figure."),
    ],
)
def test_the_headline_is_the_same_everywhere(found: Findings, headline: str) -> None:
    assert f"\n**{headline}" in markdown(found)
    assert f"\n{headline}" in printed(found)


def test_a_change_is_shown_with_its_size_and_commits() -> None:
    found = changed()
    [change] = found.compared.changes if found.compared else ()
    began = "3 nights ago, known since this one"
    assert f"| `{IDS[0]}` | +5.0 % | {began} | `{change.range}` |\n" in markdown(found)
    assert f"   +5.0 %  {IDS[0]}  began {began}, {change.range}\n" in printed(found)


def test_a_night_that_is_not_pinned_or_quick_says_so_everywhere() -> None:
    loose = night({IDS[0]: 1}, environment=msgspec.structs.replace(ENVIRONMENT, aslr="on"), pace="quick")
    text, lines = markdown(findings(loose)), printed(findings(loose))
    assert "> **Not measured on a pinned machine** (`ASLR on`)" in text
    assert "Not a pinned machine (ASLR on)" in lines
    assert "Measured quickly" in text
    assert "Measured quickly" in lines
    calm = markdown(findings()) + printed(findings())
    assert "inned machine" not in calm
    assert "quick" not in calm


def test_most_rows_at_once_point_at_the_machine() -> None:
    both = [night({IDS[0]: ns, IDS[1]: ns}, day) for day, ns in enumerate([100.0] * 20 + [110.0] * 4)]
    found = findings(both[23], compared=compare(both[23], both))
    line = "2 of 2 rows changed with the same night: look at the machine first."
    assert line in markdown(found)
    assert line in printed(found)
    one = [night({IDS[0]: ns, IDS[1]: 1}, day) for day, ns in enumerate([100.0] * 20 + [110.0] * 4)]
    assert findings(one[23], compared=compare(one[23], one)).common == ""


def test_every_row_stands_in_the_summary_with_its_spread() -> None:
    text = markdown(findings())
    assert f"| `{IDS[0]}` | 105 ns | 0.0 % |\n" in text
    assert f"| `{IDS[1]}` | 50.0 ns | 0.0 % |\n" in text
    assert "0 of 2 by more than 10 % (limit 5 % of the rows)" in text


def test_faults_remarks_and_rows_that_come_and_go_are_listed() -> None:
    found = findings(
        lacking=("toy/parts/x: AssertionError",),
        excess=("pass 2 had 94 % of a CPU",),
        remarks=("line 3 was cut off",),
        compared=Compared(before=12, appeared=("toy/parts/new",), gone=("toy/parts/gone",)),
    )
    text, lines = markdown(found), printed(found)
    for said in (
        "- `toy/parts/x: AssertionError`\n",
        "- `pass 2 had 94 % of a CPU`\n",
        "> line 3 was cut off\n",
        "### New rows\n\n- `toy/parts/new`\n",
        "### Rows that the night before had\n\n- `toy/parts/gone`\n",
    ):
        assert said in text
    assert "new: toy/parts/new\n" in lines
    assert "gone: toy/parts/gone\n" in lines
    assert "line 3 was cut off" in lines


def test_foreign_text_is_shown_as_code_and_steers_no_terminal() -> None:
    hostile = "toy/parts/x|`<img src=x>` @all #1 [a](b)"
    steering = RowChange(f"{hostile}\x1b[31m", 1.1, commit(1), commit(2), nights=4, new=True)
    where = msgspec.structs.replace(ENVIRONMENT, cpu="<b>`CPU`|</b>", governor="@all")
    found = findings(
        night({hostile: 1}, environment=where),
        lacking=(f"{hostile}: \x1b[31m@all",),
        remarks=(f"{hostile} \x1b[31m@all",),
        compared=Compared(before=12, changes=(steering,), appeared=(hostile,), gone=(hostile,)),
    )
    text = markdown(found)
    outside = re.sub(r"(`+)(?!`).*?(?<!`)\1(?!`)", "", text)
    assert not re.search(r"<img|<b>|@all|#1|\]\(", outside)
    rows = [line for line in text.splitlines() if line.startswith("| ") and "img" in line]
    assert rows
    assert sorted({len(re.findall(r"(?<!\\)\|", line)) for line in rows}) == [4, 5]
    assert "\x1b" not in text + printed(found)


def test_many_rows_fit_what_github_shows() -> None:
    many = night({f"toy/parts/{'x' * 100}{place}": 1.0 for place in range(2000)})
    ids = tuple(row.id for row in many.rows)
    text = markdown(findings(many, lacking=ids, compared=Compared(before=12, appeared=ids, gone=ids)))
    assert len(text) <= MAX_CHARACTERS
    assert "<details>" not in text
    assert "- and 1900 more\n" in text
