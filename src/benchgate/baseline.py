"""The baseline: `benches/baseline.json`, and the documents whose tables are generated from it.

BENCHMARKS.md shows all of it, notes by hand around generated sections, and the records of single calls and of
the gate's own quality where there are any; README.md shows an excerpt of a run, BENCHMARKING.md a comment of
the gate. They cannot drift from the data, because `check` generates the sections again and compares. Files
are replaced only when a complete run is at hand.
"""

from pathlib import Path

from benchgate import document, markdown, peers, published, wallclock
from benchgate.errors import Incomplete
from benchgate.files import write_whole
from benchgate.gate import record as gate_record
from benchgate.gate import record_tables, report
from benchgate.gate.comment import markdown as comment
from benchgate.ids import LIST_PATH, differences, listed
from benchgate.latency import measuring as latency
from benchgate.latency.measuring import LatencyRow
from benchgate.latency.section import section as latency_section
from benchgate.peers import PeersRow
from benchgate.rows import WallclockRow
from benchgate.run import R, Run, load, save

DATA_PATH = Path("benches/baseline.json")
DOCUMENT_PATH = Path("BENCHMARKS.md")
README_PATH = Path("README.md")
METHOD_PATH = Path("BENCHMARKING.md")
EXAMPLE_PATH = Path("benches/gate_example.json")
EXCERPT = ("derive/inbound_pipeline", "derive/signing")
"""The groups that the README shows."""

_NEW = """# Benchmarks

The tables are generated: `python -m benchgate baseline` measures and writes them, `baseline --check` compares
them with the data. Notes stand outside the generated sections.
"""


def sections(root: Path) -> dict[Path, dict[str, str]]:
    """Generate the sections of each document from the data files below `root`.

    Raises:
        Unreadable: A data file is missing, truncated or of another schema; comparisons may be missing.
    """
    run = load(root / DATA_PATH, wallclock.KIND, WallclockRow)
    recorded = _recorded(root / peers.RECORD_PATH, peers.KIND, PeersRow)
    figures = published.read(root / published.PATH)
    single = _recorded(root / latency.RECORD_PATH, latency.KIND, LatencyRow)
    latency_sections = {} if single is None else {"latency": latency_section(single, figures)}
    documents = {
        DOCUMENT_PATH: markdown.all_sections(run, figures, recorded) | latency_sections | _gate_sections(root)
    }
    if (root / EXAMPLE_PATH).exists():
        documents[METHOD_PATH] = {"gate-example": _quoted(comment(report.load(root / EXAMPLE_PATH)))}
    if (root / README_PATH).exists():
        documents[README_PATH] = {"run": markdown.excerpt(run, figures, EXCERPT)}
    return documents


def faults(root: Path) -> tuple[str, ...]:
    """Return one line for each thing in which documents, data, list of ids and declarations disagree.

    Raises:
        BadBench: A file of comparisons or distributions cannot be imported, or breaks the contract.
        Unreadable: A data file, a document or the list of ids is missing or damaged.
    """
    recorded = _recorded(root / peers.RECORD_PATH, peers.KIND, PeersRow)
    single = _recorded(root / latency.RECORD_PATH, latency.KIND, LatencyRow)
    return (
        *row_faults(load(root / DATA_PATH, wallclock.KIND, WallclockRow), root),
        *peers.record_faults(recorded.rows if recorded else (), peers.declared(root)),
        *latency.record_faults(
            single.rows if single else (),
            latency.metrics_of(latency.declared(root)),
            published.read(root / published.PATH),
        ),
        *(
            f"{path}: {line}"
            for path, bodies in sections(root).items()
            for line in document.faults(_text(root / path), bodies)
        ),
    )


def row_faults(run: Run[WallclockRow], root: Path) -> tuple[str, ...]:
    """Return one line for each row that the data lacks or has too many.

    Raises:
        Unreadable: The list of ids or the published figures are missing or damaged.
    """
    ids = {row.id for row in run.rows}
    told = published.read(root / published.PATH)
    absent = [identity for identity in told.figures | told.blocks if identity not in ids]
    return (
        *differences(listed(root / LIST_PATH), ids, str(DATA_PATH)),
        *(f"{identity} has a published figure but is missing from {DATA_PATH}" for identity in absent),
    )


def record(run: Run[WallclockRow], root: Path) -> tuple[Path, ...]:
    """Make `run` the baseline: write the data, then the documents; return what was written.

    Raises:
        Incomplete: A bench failed, rows are missing, or something else was running; nothing was written.
    """
    failed = tuple(f"{failure.id}: {failure.reason}" for failure in run.failures)
    lacking = (*failed, *row_faults(run, root), *filter(None, [wallclock.busy_text(run.cpu_share)]))
    if lacking:
        raise Incomplete("the run cannot be a baseline, nothing was written", lacking)
    save(run, root / DATA_PATH)
    return (DATA_PATH, *write_document(root))


def write_document(root: Path) -> tuple[Path, ...]:
    """Write the generated sections into the documents, beginning a new one where there is none; return which.

    Raises:
        Drift: A document's markers do not fit each other.
        Unreadable: A data file is missing or damaged.
    """
    documents = sections(root)
    for path, bodies in documents.items():
        text = document.with_sections(_text(root / path), bodies, markdown.TITLES)
        write_whole(root / path, text.encode())
    return tuple(documents)


def _recorded(path: Path, kind: str, row_type: type[R]) -> Run[R] | None:
    return load(path, kind, row_type) if path.exists() else None


def _gate_sections(root: Path) -> dict[str, str]:
    found = {}
    steadiness, selftest = root / gate_record.STEADINESS_PATH, root / gate_record.SELFTEST_PATH
    if steadiness.exists():
        found["gate-steadiness"] = record_tables.steadiness(gate_record.load_steadiness(steadiness))
    if selftest.exists():
        found["gate-selftest"] = record_tables.selftest(gate_record.load_selftest(selftest))
    return found


def _quoted(text: str) -> str:
    """Return a Markdown text as a block quote, in which tables and folds still work."""
    return "".join(f"> {line}".rstrip() + "\n" for line in text.splitlines())


def _text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except FileNotFoundError:
        return _NEW
