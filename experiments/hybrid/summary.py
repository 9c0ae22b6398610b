"""Results on orders and features over folds: mean curves with their spread, SPC-pi against its parents."""

import numpy as np

from spcviz.problems.hybrid.shown import VARIANTS
from spcviz.shared.report import mean_and_sd, standard_deviation

LEVELS = 40
"""Number of accuracies at which methods are compared, from where both begin to the variant's highest."""

NUMBERS = ("us", "char_accuracy", "word_accuracy")


def rows_of(data: str, done: list[dict], grid: np.ndarray) -> list[dict]:
    """Rows of the result for one data set, from results of `run_fold`, on a grid of microseconds per word."""
    out = []
    for name in done[0]["curves"]:
        curves = [fold["curves"][name] for fold in done]
        for g, us in enumerate(grid):
            if all(curve["us"][g] is not None for curve in curves):
                at = [{key: curve[key][g] for key in NUMBERS[1:]} for curve in curves]
                out.append({"data": data, "method": name, "us": float(us)} | _means(at, NUMBERS[1:]))
        for end in ("begin", "end"):
            out.append({"data": data, "method": name, "at": end} | _means([curve[end] for curve in curves]))
    for rows in zip(*(fold["spc"] for fold in done)):
        about = {"data": data, "method": "spc"} | {key: rows[0][key] for key in ("order", "tier")}
        out.append(about | _means(rows))
    return out


def _means(rows, names=NUMBERS):
    """Means of some figures over folds' rows, with their spread."""
    return {
        key: number for name in names for key, number in mean_and_sd(name, [r[name] for r in rows]).items()
    }


def drop_times(fold):
    """A fold's figures that do not depend on the clock: both ends of the curves, and fixed cascades."""
    rows = [
        {"method": name, "at": end} | {key: curve[end][key] for key in NUMBERS[1:]}
        for name, curve in fold["curves"].items()
        for end in ("begin", "end")
    ]
    fixed = ("order", "tier", *NUMBERS[1:])
    return rows + [{"method": "spc"} | {key: row[key] for key in fixed} for row in fold["spc"]]


def least_us(curve: list[tuple[float, float]], accuracy):
    """Least microseconds of a curve's (microseconds, accuracy) pairs that reach an accuracy, or inf.

    >>> least_us([(1.0, 50.0), (3.0, 70.0), (2.0, 80.0)], 60.0)
    2.0
    """
    return min((us for us, reached in curve if reached >= accuracy), default=np.inf)


def curve_of(fold, name):
    """(microseconds, letters right) of all points of a method of a fold."""
    if name == "spc":
        return [(row["us"], row["char_accuracy"]) for row in fold["spc"]]
    curve = fold["curves"][name]
    points = [(us, right) for us, right in zip(curve["us"], curve["char_accuracy"]) if us is not None]
    return points + [(curve[end]["us"], curve[end]["char_accuracy"]) for end in ("begin", "end")]


PARENTS = ("spc", "dms_pi")


def least_of_mixtures(curve: list[tuple[float, float]], accuracy: float) -> float:
    """Least microseconds of mixtures of a curve's points with this accuracy on average, inf if none has.

    >>> least_of_mixtures([(1.0, 50.0), (3.0, 60.0), (9.0, 70.0)], 55.0)
    2.0
    """
    us, right = np.array(curve).T
    below, above = right < accuracy, right >= accuracy
    least = us[above].min(initial=np.inf)
    if below.any() and above.any():
        share = (accuracy - right[below][:, None]) / (right[above][None] - right[below][:, None])
        least = min(least, ((1 - share) * us[below][:, None] + share * us[above][None]).min())
    return float(least)


def compare_variants(data: str, done: list[dict]) -> list[dict]:
    """Microseconds of each variant of SPC-pi over those of others at equal accuracy; a portfolio's are those
    of mixtures of its points.

    ``against``: "parents" (the better of SPC and DMS-pi), "hull" (the best mixture of their points) or a
    method; ``ratio`` below 1: the variant is cheaper; infinite where its own mean curve misses the
    accuracy, None where the other's does.
    """
    names = (*done[0]["curves"], "spc")
    curves = [{name: curve_of(fold, name) for name in names} for fold in done]
    mean = {name: _mean_curve(done, name) for name in names}
    out = []
    for method in VARIANTS:
        low = max(min(right for _, right in curve) for curve in (mean[method], mean["spc"]))
        high = max(right for _, right in mean[method])
        for against in ("parents", "hull", *(name for name in names if name != method)):
            for accuracy in np.linspace(low, high, LEVELS):
                row = {"data": data, "method": method, "against": against, "char_accuracy": float(accuracy)}
                row["opponent"] = "hull" if against == "hull" else "points"
                out.append(row | _ratio(mean, curves, method, against, accuracy))
    return out


def _ratio(mean, curves, method, against, accuracy):
    """A method's microseconds over those of its comparison `against`, at an accuracy."""
    mine, theirs = _us_of(mean, method, accuracy), _us_of(mean, against, accuracy)
    pairs = [(_us_of(fold, method, accuracy), _us_of(fold, against, accuracy)) for fold in curves]
    ratios = [a / b for a, b in pairs if np.isfinite(a) and np.isfinite(b)]
    return {
        "us": _finite(mine),
        "us_other": _finite(theirs),
        "ratio": mine / theirs if np.isfinite(theirs) else None,
        "ratio_sd": standard_deviation(ratios),
        "folds_both_reach": len(ratios),
    }


def _us_of(curves, name, accuracy):
    """Least microseconds of a method, the better parent or the hull of the parents."""
    if name == "hull":
        return least_of_mixtures([point for parent in PARENTS for point in curves[parent]], accuracy)
    if name == "portfolio":
        return least_of_mixtures(curves[name], accuracy)
    return min(least_us(curves[one], accuracy) for one in (PARENTS if name == "parents" else (name,)))


def _mean_curve(done, name):
    """(microseconds, letters right) of a method, means over folds."""
    if name == "spc":
        rows = zip(*(fold["spc"] for fold in done))
        return [tuple(np.mean([r[key] for r in of_folds]) for key in NUMBERS[:2]) for of_folds in rows]
    curves = [fold["curves"][name] for fold in done]
    points = [zip(*(curve[key] for curve in curves)) for key in NUMBERS[:2]]
    pairs = [pair for pair in zip(*points) if None not in pair[0]]
    pairs += [tuple([curve[end][key] for curve in curves] for key in NUMBERS[:2]) for end in ("begin", "end")]
    return [(float(np.mean(us)), float(np.mean(right))) for us, right in pairs]


def _finite(us):
    return float(us) if np.isfinite(us) else None


def models(data, done):
    """One model against two, means over folds."""
    each = zip(*(fold["models"] for fold in done))
    about = ("model", "at")
    return [{"data": data} | {k: rows[0][k] for k in about} | _means(rows, NUMBERS[1:]) for rows in each]
