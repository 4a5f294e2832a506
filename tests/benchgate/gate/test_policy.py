import tomllib
from contextlib import suppress
from datetime import date
from pathlib import Path

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchgate.errors import Unreadable
from benchgate.gate.policy import Policy, accepted_at, edited, read
from tests.benchgate.samples import REPOSITORY, write

TODAY = date(2026, 3, 1)
IDS = ("toy/parts/sort", "toy/parts/sum", "toy/whole/both[40]", "toy/whole/both[4]")
OVERRIDE = '[[tool.benchgate.override]]\nids = "{ids}"\nthreshold_percent = {percent}\nreason = "noisy"\n'


def policy(root: Path, pyproject: str = "", today: date = TODAY, **files: str) -> Policy:
    """Read the policy of a repository with four benches; `files` are those of the benches' folder."""
    write(
        root, {"benches/ids.txt": "".join(f"{identity}\n" for identity in IDS), "pyproject.toml": pyproject}
    )
    write(root, {f"benches/{name}.toml": text for name, text in files.items()})
    return read(root, today)


def refusal(root: Path, pyproject: str = "", **files: str) -> str:
    with pytest.raises(Unreadable) as caught:
        policy(root, pyproject, TODAY, **files)
    message = str(caught.value)
    assert len(message.splitlines()) == 1
    assert str(root) not in message
    return message


def accepted(identity: str = "toy/parts/sum", limit: str = "3", expires: str = "2026-03-01") -> str:
    facts = f'id = "{identity}"\nlimit_percent = {limit}\nreason = " worth it "\nexpires = {expires}\n'
    return f"[[accepted]]\n{facts}"


def test_without_any_file_half_a_per_cent_counts_everywhere(tmp_path: Path) -> None:
    write(tmp_path, {"benches/ids.txt": "toy/parts/sum\n"})
    found = read(tmp_path, TODAY)
    assert found.threshold_of("toy/parts/sum") == 0.005
    assert (found.accepted, found.aliases, found.notices((), ["toy/parts/sum"])) == ({}, {}, ())


def test_without_the_list_of_ids_nothing_can_be_checked(tmp_path: Path) -> None:
    with pytest.raises(Unreadable, match=r"ids\.txt: no such file"):
        read(tmp_path, TODAY)


def test_an_override_is_for_the_ids_that_it_fits_as_a_whole(tmp_path: Path) -> None:
    rules = OVERRIDE.format(ids="toy/whole/both[4*]", percent=2) + OVERRIDE.format(
        ids="toy/parts/s", percent=9
    )
    found = policy(tmp_path, "[tool.benchgate]\nthreshold_percent = 1.5\n" + rules)
    assert [found.threshold_of(identity) for identity in IDS] == [0.015, 0.015, 0.02, 0.02]
    assert found.threshold_of("toy/whole/both[4") == 0.015  # brackets are no class of characters
    assert found.threshold_of("toy/whole/both4") == 0.015
    assert found.notices((), IDS) == (
        "pyproject.toml: tool.benchgate.override: toy/parts/s fits no id of benches/ids.txt",
    )


def test_overrides_that_agree_may_overlap(tmp_path: Path) -> None:
    rules = OVERRIDE.format(ids="toy/*", percent=2) + OVERRIDE.format(ids="*/sum", percent=2.0)
    assert policy(tmp_path, rules).threshold_of("toy/parts/sum") == 0.02


def test_overrides_that_differ_on_an_id_are_refused(tmp_path: Path) -> None:
    rules = OVERRIDE.format(ids="toy/*", percent=2) + OVERRIDE.format(ids="*/sum", percent=3)
    assert refusal(tmp_path, rules) == (
        "pyproject.toml: tool.benchgate.override: expected one threshold for toy/parts/sum, "
        "got 'toy/*' and '*/sum', which differ"
    )


def test_an_entry_holds_to_the_end_of_its_last_day(tmp_path: Path) -> None:
    found = policy(tmp_path, accepted=accepted())
    entry = found.accepted["toy/parts/sum"]
    assert (entry.limit, entry.reason, entry.expires) == (0.03, "worth it", TODAY)
    assert found.notices(["toy/parts/sum"], IDS) == ()
    later = policy(tmp_path, today=date(2026, 3, 2))
    assert later.accepted == {}
    assert later.notices(["toy/parts/sum"], IDS) == (
        "benches/accepted.toml: toy/parts/sum expired on 2026-03-01 and is no longer accepted",
    )


def test_an_entry_without_use_is_told_only_when_its_row_was_measured(tmp_path: Path) -> None:
    found = policy(tmp_path, accepted=accepted())
    assert found.notices((), ["toy/parts/sort"]) == ()
    assert found.notices((), ["toy/parts/sum"]) == (
        "benches/accepted.toml: toy/parts/sum is not slower than the base: its entry can go",
    )


def test_what_the_base_accepts_already_is_accepted_no_more(tmp_path: Path) -> None:
    found = policy(tmp_path, accepted=accepted())
    base = accepted_at(tmp_path)
    assert base == found.accepted
    since = found.since(base)
    assert since.accepted == {}
    assert since.notices((), ()) == (
        "benches/accepted.toml: the base has accepted toy/parts/sum already: its entry can go",
    )
    raised = {name: msgspec.structs.replace(entry, limit=0.01) for name, entry in base.items()}
    assert found.since(raised).accepted == found.accepted
    renewed = {
        name: msgspec.structs.replace(entry, limit=0.04, reason="of old", expires=date(2025, 3, 1))
        for name, entry in base.items()
    }
    assert found.since(renewed).accepted == {}
    (tmp_path / "benches/accepted.toml").write_text("[[")
    assert accepted_at(tmp_path) == {}


def test_nothing_is_accepted_for_more_than_a_year(tmp_path: Path) -> None:
    assert policy(tmp_path, accepted=accepted(), today=date(2025, 2, 28)).accepted
    with pytest.raises(
        Unreadable, match=r"toy/parts/sum: expires: expected a day by 2026-02-28, got 2026-03-01"
    ):
        policy(tmp_path, today=date(2025, 2, 27))


def test_a_change_that_edits_what_judges_it_is_told() -> None:
    assert edited(["src/toy.py", "docs/pyproject.toml", "src/benchgate_more/x.py"]) == ()
    told = edited(
        [
            ".github/workflows/gate.yml",
            "benches/accepted.toml",
            "noxfile.py",
            "pyproject.toml",
            "src/benchgate/cli.py",
        ]
    )
    assert [line.removesuffix(", by which it is judged") for line in told] == [
        "this change edits the gate's code",
        "this change edits the gate's workflows",
        "this change edits the commands",
        "this change edits pyproject.toml",
        "this change edits benches/accepted.toml",
    ]


def test_aliases_lead_from_the_new_id_to_the_old_one(tmp_path: Path) -> None:
    text = '[aliases]\n"toy/whole/both[4]" = "toy/old/both[4]"\n"toy/parts/sum" = "toy/parts/total"\n'
    assert policy(tmp_path, aliases=text).aliases == {
        "toy/whole/both[4]": "toy/old/both[4]",
        "toy/parts/sum": "toy/parts/total",
    }


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            "[tool.benchgate]\nthreshold_percent = 0",
            "threshold_percent: expected per cent, a number above 0 .* got 0",
        ),
        ("[tool.benchgate]\nthreshold_percent = -0.5", "got -0.5"),
        ("[tool.benchgate]\nthreshold_percent = nan", "got nan"),
        ("[tool.benchgate]\nthreshold_percent = inf", "got inf"),
        ("[tool.benchgate]\nthreshold_percent = 100.1", "at most 100, got 100.1"),
        ("[tool.benchgate]\nthreshold_percent = true", "got true"),
        ('[tool.benchgate]\nthreshold_percent = "1"', "got '1'"),
        (f"[tool.benchgate]\nthreshold_percent = 0x{'f' * 5000}", "got a number of thousands of digits"),
        (f"[tool.benchgate]\nthreshold_percent = {'9' * 5000}", "expected TOML"),
        (f"[tool.benchgate]\nthreshold_percent = {'[' * 5000}", "nested too deeply"),
        (
            "[tool.benchgate]\nthreshold = 1",
            "tool.benchgate: expected keys among threshold_percent.*got threshold",
        ),
        ("[tool.benchgate]\noverride = 1", "override: expected an array of tables, got 1"),
        ("tool = 1", "pyproject.toml: tool: expected a table, got 1"),
        ("[tool", "pyproject.toml: expected TOML"),
        (OVERRIDE.format(ids="", percent=1), r"override\[0\]\.ids: expected one line of text, got ''"),
        (OVERRIDE.format(ids="*", percent=0), r"override\[0\]\.threshold_percent.*got 0"),
        (
            OVERRIDE.format(ids="*", percent=1).replace("noisy", " "),
            "reason: expected one line of text, got ' '",
        ),
        (OVERRIDE.format(ids="*", percent=1).replace("noisy", "a\\nb"), r"reason: .* got 'a\\nb'"),
        (OVERRIDE.format(ids="*", percent=1).replace("noisy", "a" * 501), "at most 500 characters, got 501"),
        (OVERRIDE.format(ids="*", percent=1).replace('reason = "noisy"\n', ""), "reason: .* got nothing"),
        (OVERRIDE.format(ids="*", percent=1) + "why = 1", r"override\[0\]: expected keys .*got why"),
    ],
)
def test_thresholds_that_do_not_fit_are_refused(tmp_path: Path, text: str, message: str) -> None:
    assert refusal(tmp_path, text).startswith("pyproject.toml: ")
    with pytest.raises(Unreadable, match=message):
        policy(tmp_path, text)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (accepted("toy/parts/product"), r"accepted\[0\]\.id: .*ids.txt lists .*got 'toy/parts/product'"),
        (accepted() + accepted(), r"accepted\[1\]\.id: expected one entry for each id, got 'toy/parts/sum'"),
        (accepted(limit="0"), "limit_percent: .*got 0"),
        (accepted(expires='"2026-03-01"'), "expires: expected a date.*got '2026-03-01'"),
        (accepted(expires="2026-03-01T00:00:00Z"), "expires: expected a date"),
        (accepted(expires="2026-02-30"), "expected TOML"),
        (accepted().replace("expires = 2026-03-01", ""), "expires: .*got nothing"),
        (accepted() + "limit = 1\n", "got limit"),
        ("[accepted]\n", "accepted: expected an array of tables, got a table"),
        ("accepted = [1]\n", "accepted: expected an array of tables, got an array"),
        ("[[accept]]\n", "expected keys among accepted, got accept"),
    ],
)
def test_accepted_regressions_that_do_not_fit_are_refused(tmp_path: Path, text: str, message: str) -> None:
    assert refusal(tmp_path, accepted=text).startswith("benches/accepted.toml: ")
    with pytest.raises(Unreadable, match=message):
        policy(tmp_path, accepted=text)


@pytest.mark.parametrize(
    ("entries", "message"),
    [
        ({"toy/parts/product": "toy/parts/total"}, "expected a new id that .* lists, not toy/parts/product"),
        ({"toy/parts/sum": "toy/parts/sort"}, "an old id that .* lists no longer, got 'toy/parts/sort'"),
        ({"toy/parts/sum": "toy/parts/sum"}, "an old id that .* lists no longer"),
        (
            {"toy/parts/sum": "toy/old", "toy/parts/sort": "toy/old"},
            r"of one bench alone \(toy/parts/sum claims",
        ),
        (
            {"toy/parts/sum": "toy/parts/sort", "toy/parts/sort": "toy/old"},
            r"no chain \(toy/parts/sort was toy/old: write that, remove toy/parts/sort\)",
        ),
        ({"toy/parts/sum": ""}, "expected one line of text"),
    ],
)
def test_aliases_that_do_not_fit_are_refused(tmp_path: Path, entries: dict[str, str], message: str) -> None:
    text = "[aliases]\n" + "".join(f'"{new}" = "{old}"\n' for new, old in entries.items())
    assert refusal(tmp_path, aliases=text).startswith("benches/aliases.toml: aliases.toy/parts/")
    with pytest.raises(Unreadable, match=message):
        policy(tmp_path, aliases=text)


def test_a_file_that_is_no_text_is_refused_by_name(tmp_path: Path) -> None:
    (tmp_path / "benches").mkdir()
    (tmp_path / "benches/accepted.toml").write_bytes(b"\xff")
    assert refusal(tmp_path).startswith("benches/accepted.toml: expected TOML: ")
    (tmp_path / "benches/accepted.toml").unlink()
    (tmp_path / "benches/aliases.toml").mkdir()
    assert refusal(tmp_path) == "benches/aliases.toml: Is a directory"


@given(
    st.recursive(
        st.sampled_from(["1", "1.5", '"x"', "true", "2026-03-01"]),
        lambda inner: st.one_of(
            st.lists(inner, max_size=3).map(lambda items: f"[{', '.join(items)}]"),
            st.dictionaries(
                st.sampled_from(["id", "ids", "reason", "accepted", "aliases", "limit_percent", "toy"]),
                inner,
                max_size=3,
            ).map(lambda table: "{" + ", ".join(f"{key} = {value}" for key, value in table.items()) + "}"),
        ),
    ),
    st.sampled_from(["accepted", "aliases", "override", "threshold_percent"]),
)
def test_whatever_is_written_there_is_a_sane_policy_or_a_refusal(
    tmp_path_factory: pytest.TempPathFactory, tree: str, key: str
) -> None:
    root = tmp_path_factory.mktemp("policy")
    tomllib.loads(f"{key} = {tree}")
    with suppress(Unreadable):
        found = policy(
            root,
            f"tool.benchgate = {{{key} = {tree}}}",
            accepted=f"{key} = {tree}",
            aliases=f"{key} = {tree}",
        )
        assert 0 < found.threshold_of("toy/parts/sum") <= 1


def test_the_repository_s_own_policy_reads() -> None:
    found = read(REPOSITORY, date(2000, 1, 1))
    assert found.threshold_of("harness/floor/empty_call") == 0.005
    assert found.idle == ()


@pytest.mark.parametrize("name", ["accepted", "aliases"])
def test_the_format_that_a_file_s_comment_shows_reads(tmp_path: Path, name: str) -> None:
    text = (REPOSITORY / f"benches/{name}.toml").read_text(encoding="utf-8")
    comment, _, example = text.partition("#\n")
    assert comment
    write(tmp_path, {f"benches/{name}.toml": example.replace("# ", "")})
    write(
        tmp_path,
        {"benches/ids.txt": "derive/signing/sign_" + ("trade_action" if name == "accepted" else "order")},
    )
    found = read(tmp_path, TODAY)
    assert len(found.accepted) + len(found.aliases) == 1
