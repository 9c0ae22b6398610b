"""Every table of Your data as CSV, for download."""

import csv
import io
from collections.abc import Iterable

import numpy as np

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
