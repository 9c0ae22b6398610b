"""Common fields of stored results (`shared.report.describe`) as blocks: command, data, machine, rules."""

import pandas as pd

from spcviz.web.figures.blocks import Shown, Table


def is_usable(result, needs=()):
    """Whether a file's content has the form of a result, and each row has the fields in `needs`."""
    rows = result.get("rows") if isinstance(result, dict) else None
    return (
        isinstance(rows, list)
        and len(rows) > 0
        and isinstance(result.get("name"), str)
        and all(isinstance(row, dict) and not set(needs) - set(row) for row in rows)
        and all(isinstance(row.get("features", ""), str) for row in rows)
    )


def features_of(result):
    """Feature sets of a result, in its order; none if its rows have no such column."""
    return list(dict.fromkeys(row["features"] for row in result["rows"] if "features" in row))


def data_of(result):
    """Data sets that a result's rows are about, in its order."""
    return list(dict.fromkeys(row["data"] for row in result["rows"]))


def any_frame(result):
    """Rows of a result that belongs to no problem; lists and objects are left out."""
    frame = pd.DataFrame(result["rows"])
    is_plain = [not frame[c].map(lambda v: isinstance(v, (list, dict))).any() for c in frame]
    return frame.loc[:, is_plain]


def origin_sentence(result):
    """Data, machine and time of a result in a sentence."""
    machine = result.get("machine", {})
    digests = ", ".join(f"{name} (SHA-256 {d[:12]}…)" for name, d in result.get("data_digests", {}).items())
    folds = result.get("settings", {}).get("folds")
    over = f" over {folds} of 10 test folds" if isinstance(folds, int) else ""
    return (
        f"Measured{over} on data {digests or 'not named'}; {machine.get('cpu', 'unknown processor')}, "
        f"{machine.get('cores', '?')} cores, Python {machine.get('python', '?')}, "
        f"{result.get('seconds', 0):.0f} s{_looks(result)}{measured_on(result, '; run of ')}."
    )


def measured_on(result: dict, before: str = "") -> str:
    """When a result was measured, and on top of which commit, preceded by `before`; empty if unknown.

    >>> measured_on({"provenance": [{"date": "2026-11-25", "commit": "92e8ff75"}]}, "run ")
    'run 2026-11-25 (commit 92e8ff75)'
    """
    runs = [run for run in result.get("provenance", ()) if run.get("date")]
    said = (f"{run['date']} (commit {run['commit']})" if run.get("commit") else run["date"] for run in runs)
    return before + ", ".join(dict.fromkeys(said)) if runs else ""


def _looks(result):
    """How often the result was measured on the test data, if that was counted."""
    n = result.get("looks_at_test")
    return f"; stored {f'{n} times' if n > 1 else 'once'} or more from these data" if n else ""


def command_of(result):
    """The command that repeats a result: the stored one, or one put together from its settings."""
    if isinstance(result.get("command"), str):
        return result["command"]
    words = ["python -m spcviz reproduce", result["name"]]
    settings = result.get("settings", {})
    features = settings.get("features")
    if isinstance(features, dict) and features:
        words += ["--features", *features]
    if isinstance(settings.get("folds"), int):
        words += ["--folds", str(settings["folds"])]
    return " ".join(words)


def chosen_on(result):
    """On which data settings were chosen, according to the result: a list of one sentence, or none."""
    chosen = result.get("settings", {}).get("chosen_on")
    return [f"Settings were chosen on: {chosen}."] if chosen else []


def _rows(result, features, look):
    return [Table(any_frame(result), result["name"])]


ANYTHING = Shown((), _rows)
"""A result that belongs to no problem is shown as it is."""


RULE_NAMES = {
    "mean_max": "mean and best (thesis)",
    "mean_max_first": "mean before any filter",
    "margin": "margin",
    "probability": "probability",
}
"""Names of the rules in menus and tables."""

RULE_DECIMALS = {"n-grams": 1, "words": 2, "letters": 2, "over": 2, "loss": 2, "order": 0, "worst": 0}
WHAT_DECIDES = (
    "The thesis has one rule. Whether another leaves less was settled by a comparison fixed before the look: "
    "the ratio of n-grams at equal loss, with its interval."
)


def interval(low, high):
    """The two ends of an interval as text; a missing end lies beyond the measured range.

    >>> interval(0.5, 1.25), interval(None, 2.0), interval(None, None)
    ('0.50 to 1.25', '– to 2.00', '')
    """
    if low is None and high is None:
        return ""
    return " to ".join("–" if end is None else f"{end:.2f}" for end in (low, high))


def tolerances_frame(rows: list[dict], example: str, right: str, draws: str = "95 % of draws"):
    """Cascades with the same tolerance at every level, by rule and order: n-grams scored, loss and accuracy.

    `right` is the key of a row's words that are read right, `draws` the name of the column of intervals.
    """
    return pd.DataFrame(
        [
            {
                "tolerance a level %": row["tolerance"],
                "order": row["order"],
                "rule": RULE_NAMES[row["rule"]],
                "n-grams to score": row["n_grams_in"],
                "over thesis' rule": row["n_grams_in_ratio"][0],
                draws: interval(*row["n_grams_in_ratio"][1:]),
                f"worst {example}": row["n_grams_worst"],
                f"{example}s lost before %": row["lost"],
                "words right %": row[right],
            }
            for row in rows
        ]
    )
