"""Evidence on words for the Trade-off page: the stored results of all folds, as an `Evidence`."""

from collections.abc import Sequence

import numpy as np
from scipy.special import stdtrit

from spcviz.learning.budgets.methods import EXAMPLE, METHODS
from spcviz.problems.budgets.evidence import Evidence, Gap, is_simple
from spcviz.problems.words.shown import OFFERED, TERMS

EVERY = 4
"""The rows of single folds hold every `EVERY`-th budget of a curve."""
RESULT = {"open": "budget-ocr-open", "ocr": "budget-ocr"}
"""Name of the stored result by vocabulary."""
_OVER = {"open": "folds of words that no model had seen", "ocr": "test folds of the 55 words"}


def evidence(result: dict, vocabulary: str) -> Evidence:
    """Every learned method against every simple one: paired differences over folds (Student's t)."""
    shares = _budgets(result["rows"])[::EVERY]
    measured = {key: _by_fold(result["fold_rows"], METHODS[key]) for key in OFFERED}
    errors = {key: by_fold for key, by_fold in measured.items() if by_fold is not None}
    gaps = [
        Gap(key, rival, float(share), *summarize_differences(errors[rival][:, k] - errors[key][:, k]))
        for key in errors
        for rival in errors
        if not is_simple(key) and is_simple(rival)
        for k, share in enumerate(shares)
        if share > 0
    ]
    n_folds = len(result["fold_rows"])
    return Evidence(f"{n_folds} {_OVER[vocabulary]}", "letters misread", "units", TERMS, tuple(gaps))


def summarize_differences(differences: Sequence[float]) -> tuple[float, float, float]:
    """Mean and 95 % interval of at least two differences.

    >>> mean, low, high = summarize_differences([1.0, 2.0, 3.0])
    >>> round(mean, 2), round(low, 2), round(high, 2)
    (2.0, -0.48, 4.48)
    """
    gaps = np.asarray(differences, dtype=np.float64)
    error = gaps.std(ddof=1) / np.sqrt(len(gaps))
    spread = stdtrit(len(gaps) - 1, 0.975) * error
    return float(gaps.mean()), float(gaps.mean() - spread), float(gaps.mean() + spread)


def _budgets(rows):
    """Shares of the full cost at which curves have points."""
    first = rows[0]
    fields = ("experiment", "method", "level", "q")
    cost = [row["cost_units"] for row in rows if all(row[name] == first[name] for name in fields)]
    return np.array(cost) / max(cost)


def _by_fold(fold_rows, method):
    """A method's errors in percent, (folds, budgets); None if it was not measured."""
    level = "word" if method.level == EXAMPLE else "letter"
    for name in method.names:
        wanted = {"method": name, "level": level, "q": 0.0}.items()
        matches = [[row for row in fold["rows"] if wanted <= row.items()] for fold in fold_rows]
        if all(matches):
            return np.array([rows[0]["error"] for rows in matches])
    return None
