import msgspec

from benchgate.nights.comparison import RECENT, compare
from tests.benchgate.nights.samples import IDS, commit, night, nights
from tests.benchgate.samples import ENVIRONMENT

STEP = [100.0] * 20 + [105.0] * 40


def test_a_change_names_the_commits_between_which_it_began() -> None:
    series = nights(STEP)
    compared = compare(series[23], series[:23])
    assert compared.before == 23
    [change] = compared.changes
    assert compared.new == (change,)
    assert (change.id, change.nights, change.new) == (IDS[0], 4, True)
    assert (change.good, change.bad) == (commit(19), commit(20))
    assert change.range == f"{19:040x}"[:10] + ".." + f"{20:040x}"[:10]
    assert round(change.ratio, 6) == 1.05


def test_it_is_new_on_one_night_and_stays_for_two_weeks() -> None:
    series = nights(STEP)
    told = [compare(series[count], series[:count]) for count in range(1, 60)]
    assert [count for count, one in enumerate(told, 1) if one.new] == [23]
    assert [count for count, one in enumerate(told, 1) if one.changes] == list(range(23, 23 + RECENT))


def test_later_nights_and_this_one_itself_are_not_compared_with() -> None:
    series = nights(STEP)
    assert compare(series[23], series) == compare(series[23], series[:23])


def test_nights_of_another_machine_are_passed_over() -> None:
    elsewhere = msgspec.structs.replace(ENVIRONMENT, cpu="Imaginary 9001")
    others = [night({IDS[0]: 50}, day, environment=elsewhere) for day in range(0, 40, 2)]
    ours = [night({IDS[0]: 100}, day) for day in range(1, 40, 2)]
    mixed = sorted([*others, *ours], key=lambda one: one.created)
    compared = compare(night({IDS[0]: 100}, 50), mixed)
    assert (compared.before, compared.elsewhere, compared.changes) == (20, 20, ())
    alone = compare(night({IDS[0]: 100}, 50), others)
    assert (alone.before, alone.elsewhere, alone.appeared) == (0, 20, ())


def test_another_version_of_a_library_is_no_other_machine() -> None:
    upgraded = msgspec.structs.replace(ENVIRONMENT, libraries={"msgspec": "0.21.0"})
    assert compare(night({IDS[0]: 1}, 1, environment=upgraded), [night({IDS[0]: 1})]).before == 1


def test_new_and_gone_rows_are_those_that_the_night_before_did_not_share() -> None:
    history = [night({"a/b/old": 1, "a/b/c": 1}, 0), night({"a/b/c": 1, "a/b/gone": 1}, 1)]
    compared = compare(night({"a/b/c": 1, "a/b/old": 1, "a/b/new": 1}, 2), history)
    assert compared.appeared == ("a/b/new", "a/b/old")
    assert compared.gone == ("a/b/gone",)


def test_a_row_that_was_away_is_compared_over_the_nights_that_it_has() -> None:
    series = [night({IDS[1]: 1} | ({} if day % 3 == 2 else {IDS[0]: ns}), day) for day, ns in enumerate(STEP)]
    here = next(day for day in range(60) if compare(series[day], series[:day]).new)
    [change] = compare(series[here], series[:here]).new
    # Of nights 21, 22, 24 and 25 the fourth makes it known; 20 and 23 have no figure.
    assert (here, change.good, change.bad, change.nights) == (25, commit(19), commit(21), 5)


def test_new_changes_come_first_and_then_the_largest() -> None:
    def figures(day: int) -> dict[str, float]:
        return {
            "a/b/early": 120.0 if day >= 18 else 100.0,
            "a/b/small": 105.0 if day >= 20 else 100.0,
            "a/b/fast": 80.0 if day >= 20 else 100.0,
        }

    series = [night(figures(day), day) for day in range(24)]
    compared = compare(series[23], series)
    assert [change.id for change in compared.changes] == ["a/b/fast", "a/b/small", "a/b/early"]
    assert [change.new for change in compared.changes] == [True, True, False]
