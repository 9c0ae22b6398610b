"""Downloads of the page Your data: a script that repeats it, the model, tables as CSV, the example's file."""

import csv
import io
from collections.abc import Iterable

import numpy as np

from spcviz.problems.own_data.model import examples, files, foreign
from spcviz.problems.own_data.model import script as scripts
from spcviz.problems.own_data.model.examples import EXAMPLES
from spcviz.problems.own_data.model.training import Settings, rules_of
from spcviz.problems.own_data.page import shelf
from spcviz.problems.own_data.page.cached import ViewSource, steps_of
from spcviz.problems.own_data.page.charts import confusions, reliability
from spcviz.problems.own_data.shown import Report

_FORMULA = ("=", "+", "-", "@", "\t", "\r")


def write_csv(header: Iterable[str], rows: Iterable[Iterable]) -> bytes:
    """A CSV with a byte order mark, so that spreadsheets decode it correctly; no cell starts a formula."""
    out = io.StringIO()
    writer = csv.writer(out)
    writer.writerow(header)
    writer.writerows([[_safe(cell) for cell in row] for row in rows])
    return out.getvalue().encode("utf-8-sig")


def _safe(cell):
    return f"'{cell}" if isinstance(cell, str) and cell.startswith(_FORMULA) and len(cell) > 1 else cell


def write_tokens(report: Report, sentences: list[list[str]]) -> bytes:
    """Every held-out token: its sentence, gold label, answer and probability."""
    held, rows = [*report.dev.tolist(), *report.test.tolist()], []
    for w, number in enumerate(held):
        for at, word in enumerate(sentences[number]):
            r = int(report.starts[w]) + at
            gold = report.labels[report.truth[r]] if report.truth[r] >= 0 else ""
            part = "development" if w < len(report.dev) else "test"
            answer = report.labels[report.guess[r]]
            rows.append((number + 1, at + 1, word, gold, answer, f"{report.sure[r]:.6g}", part))
    return write_csv(("sentence", "token", "word", "gold", "answer", "probability", "part"), rows)


def write_mistakes(report: Report) -> bytes:
    """Which labels are mistaken for which."""
    return write_csv(("gold", "answer", "tokens"), confusions(report))


def write_sure(report: Report) -> bytes:
    """How often an answer is right, by the probability that the model gives it."""
    return write_csv(("probability", "right", "tokens"), reliability(report))


def write_sweep(report: Report) -> bytes:
    """Where each held-out sentence loses its truth at each level: alphas, by Definition 1 and in fact."""
    rows = []
    for n, level in enumerate(report.levels, 1):
        parts = (("development", level.dev, report.dev), ("test", level.test, report.test))
        for part, points, numbers in parts:
            alphas = zip(numbers.tolist(), points.by_definition, np.minimum(points.event, np.inf))
            rows += [(n, part, number + 1, f"{a:.9g}", f"{b:.9g}") for number, a, b in alphas]
    return write_csv(("level", "part", "sentence", "alpha_by_definition", "alpha_in_fact"), rows)


TABLES = {
    "tokens": write_tokens,
    "confusions": write_mistakes,
    "calibration": write_sure,
    "sweep": write_sweep,
}


def example_file(visit: shelf.Own) -> tuple[str, bytes]:
    """Name and bytes of an example's file."""
    return EXAMPLES[visit.example].name, examples.data_of(visit.example)


def script(source: ViewSource, settings: Settings, steps: str, number: int) -> str:
    """The Python script that repeats what is shown."""
    visit = source.own
    name = visit.brought.name if visit.brought.name != "pasted text" else "pasted.txt"
    if source.scored is not None:
        how = steps_of(visit, steps)
        subwords = visit.how.subwords if visit.brought.scores.n_subwords else ""
        return scripts.of_scores(name, how, settings.seed, settings.tolerance, foreign.MOST_ARCS, subwords)
    if source.is_brought:
        file = (name, visit.brought.corpus.columns, _how(visit))
        return scripts.of_model(*file, visit.model.name, settings.seed, number)
    rules = rules_of(visit.brought.labels)
    return scripts.of_training(name, visit.brought.corpus.columns, settings, number, _how(visit), rules)


def _how(visit: shelf.Own) -> str:
    """Arguments of `read_conll` beyond the columns that read a file as it is read here, as Python source."""
    told = {
        key: value for key, value in visit.how.of_text().items() if value != getattr(files.FOUND_OUT, key)
    }
    if visit.brought.cut:
        told["max_tokens"] = visit.brought.cut
    return "".join(f", {key}={value!r}" for key, value in told.items())


def model_file(source: ViewSource) -> bytes:
    """The model to download; an uploaded one is returned unchanged."""
    return source.own.model.model if source.is_brought else source.model


def tables_of(source: ViewSource) -> list[str]:
    """Names of the available tables."""
    return list(TABLES) if source.has_gold else ["tokens"]


def table(source: ViewSource, name: str) -> bytes:
    """One table as CSV."""
    if name == "tokens":
        return write_tokens(source.report, source.own.brought.sentences)
    return TABLES[name](source.report)
