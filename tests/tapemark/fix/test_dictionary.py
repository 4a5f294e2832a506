"""What the table says is held against rows written from the standard by hand."""

import shutil
from pathlib import Path

import pytest

from scripts import make_fix_dictionary
from tapemark.fix import fix44_values as values
from tapemark.fix.dictionary import LENGTH_TAG_OF, DataType
from tapemark.fix.fix44 import DICTIONARY

FROM_THE_STANDARD = {
    1: ("Account", "String", "account"),
    11: ("ClOrdID", "String", "cl_ord_id"),
    34: ("MsgSeqNum", "SeqNum", "msg_seq_num"),
    44: ("Price", "Price", "price"),
    54: ("Side", "char", "side"),
    60: ("TransactTime", "UTCTimestamp", "transact_time_ns"),
    75: ("TradeDate", "LocalMktDate", "trade_date"),
    97: ("PossResend", "Boolean", "poss_resend"),
    200: ("MaturityMonthYear", "MonthYear", "maturity_month_year"),
    270: ("MDEntryPx", "Price", "md_entry_px"),
    355: ("EncodedText", "data", "encoded_text"),
    447: ("PartyIDSource", "char", "party_id_source"),
    452: ("PartyRole", "int", "party_role"),
    461: ("CFICode", "String", "cfi_code"),
}


@pytest.mark.parametrize("tag", FROM_THE_STANDARD)
def test_a_field_has_the_standard_s_name_and_type(tag: int) -> None:
    field = DICTIONARY.fields[tag]
    assert (field.name, field.data_type.value, field.attribute) == FROM_THE_STANDARD[tag]


def test_listed_values_are_the_standard_s() -> None:
    assert "".join(side.value for side in values.Side) == "123456789ABCDEFG"
    assert "".join(kind.value for kind in values.ExecType) == "03456789ABCDEFGHI"
    assert "".join(status.value for status in values.OrdStatus) == "012346789ABCDE"
    assert "".join(time.value for time in values.TimeInForce) == "01234567"
    assert [values.Side.SELL_SHORT.value, values.OrdType.STOP_LIMIT.value] == ["5", "4"]
    assert DICTIONARY.fields[54].values is values.Side


def test_required_fields_are_the_standard_s() -> None:
    assert set(DICTIONARY.messages[b"8"].required) == {37, 17, 150, 39, 54, 151, 14, 6}
    assert set(DICTIONARY.messages[b"D"].required) == {11, 54, 60, 40}
    assert set(DICTIONARY.messages[b"W"].required) == {268}
    assert set(DICTIONARY.messages[b"E"].required) == {66, 394, 68, 73}
    assert set(DICTIONARY.header.required) == {8, 9, 35, 49, 56, 34, 52}
    assert DICTIONARY.trailer.required == (10,)
    assert DICTIONARY.groups[73].block.required == (11, 67, 54)


def test_groups_are_the_standard_s() -> None:
    assert DICTIONARY.groups[453].block.tags == (448, 447, 452, 802)
    assert DICTIONARY.groups[802].block.tags == (523, 803)
    assert DICTIONARY.groups[78].block.tags == (79, 661, 736, 467, 539, 80)
    assert DICTIONARY.groups[382].block.tags == (375, 337, 437, 438, 655)
    assert DICTIONARY.groups[268].block.tags[:4] == (269, 270, 15, 271)


def test_what_the_table_refers_to_is_in_it() -> None:
    blocks = [DICTIONARY.header, DICTIONARY.trailer, *DICTIONARY.messages.values()]
    blocks += [group.block for group in DICTIONARY.groups.values()]
    used = {tag for block in blocks for tag in block.tags}
    assert used == set(DICTIONARY.fields)
    counts = {field.tag for field in DICTIONARY.fields.values() if field.data_type is DataType.NUM_IN_GROUP}
    assert counts == set(DICTIONARY.groups)
    for block in blocks:
        assert len(set(block.tags)) == len(block.tags)
        for place, tag in enumerate(block.tags):
            if DICTIONARY.fields[tag].data_type is DataType.DATA:
                assert block.tags[place - 1] == LENGTH_TAG_OF[tag]


def test_the_modules_are_what_the_table_gives(capsys: pytest.CaptureFixture[str]) -> None:
    assert make_fix_dictionary.main(["--check"]) == 0
    assert capsys.readouterr().out == "FIX dictionary: 0 modules differ\n"


def test_drift_is_told_and_mended(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for name in ("fix44.toml", "fix44.py", "fix44_values.py"):
        shutil.copy(make_fix_dictionary.FOLDER / name, tmp_path)
    table, written = tmp_path / "fix44.toml", tmp_path / "fix44_values.py"
    table.write_text(table.read_text().replace('OPPOSITE"', 'CONTRARY"'))
    before = written.read_text()
    assert make_fix_dictionary.main(["--check"], tmp_path) == 1
    assert written.read_text() == before
    assert make_fix_dictionary.main([], tmp_path) == 0
    assert 'CONTRARY = "C"' in written.read_text()
    assert make_fix_dictionary.main(["--check"], tmp_path) == 0
    (tmp_path / "fix44.py").unlink()
    assert make_fix_dictionary.main(["--check"], tmp_path) == 1
    assert capsys.readouterr().out.splitlines() == [
        "fix44_values.py: differs from what fix44.toml gives",
        "FIX dictionary: 1 module differs",
        "FIX dictionary: 1 module written",
        "FIX dictionary: 0 modules differ",
        "fix44.py: differs from what fix44.toml gives",
        "FIX dictionary: 1 module differs",
    ]
