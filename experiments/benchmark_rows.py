"""Six rows of benchmarks for the project's README, from the stored results of ``python -m spcviz bench``."""

from pathlib import Path

from experiments.statements.evidence import row_of
from spcviz.shared import result_files
from spcviz.shared.folders import RESULTS
from spcviz.shared.report import markdown_table
from spcviz.web.figures.results import measured_on

_ENGINE = (
    ("Viterbi 25 x 45", "Viterbi, 25 words and 45 tags"),
    ("node max-marginals 25 x 45", "Max-marginals of the same"),
    ("trigram lattice, best path", "Best path of a trigram lattice"),
)
_TAGGERS = (("perceptron", "Perceptron tagger, EWT"), ("CRF", "CRF tagger, EWT"))


def rows(results: Path = RESULTS) -> str:
    """The table in Markdown; lines of benchmarks that are not stored are left out."""
    lines = []
    for name, make in (("engine", _engine_cells), ("library", _library_cells), ("app", _app_cells)):
        result = result_files.read(results, f"bench-{name}")
        if result is not None:
            with result_files.reading(f"bench-{name}"):
                day = measured_on(result, " ").partition(" (")[0]
                lines += [(*cells, f"`{name}`{day}") for cells in make(result)]
    return markdown_table(("what", "here", "best other", "`bench`, measured on"), lines)


def _engine_cells(result):
    cpu = result["machine"]["cpu"]
    for operation, what in _ENGINE:
        of = [row for row in result["rows"] if row["operation"] == operation and row["processor"] == cpu]
        ours = row_of(of, contender="spcviz")
        other = min(
            (row for row in of if not row["contender"].startswith("spcviz")), key=lambda row: row["us"]
        )
        yield what, f"{ours['us']:.0f} µs", f"{other['us']:.0f} µs ({other['contender'].split(' (')[0]})"


def _library_cells(result):
    for model, what in _TAGGERS:
        of = [
            row
            for row in result["rows"]
            if row["data"].startswith("UD English EWT, UPOS") and row["what"] == model
        ]
        texts = [
            f"{100 * row['tokens_right']:.1f} % right, trained in {row['train_s']:.1f} s"
            for row in (row_of(of, contender=who) for who in ("spcviz", "python-crfsuite"))
        ]
        yield what, texts[0], f"{texts[1]} (CRFsuite)"


def _app_cells(result):
    few = min(row["sessions"] for row in result["rows"])
    crowd = [row for row in result["rows"] if row["sessions"] == few]
    worst = max(row["p95_ms"] for row in crowd)
    yield f"The app: {few} students, one action a second", f"p95 of the slowest page {worst:.0f} ms", "–"
