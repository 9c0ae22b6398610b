"""Tables of tagging next to the paper's Table 4.2, to show and download."""

import numpy as np
import pandas as pd

METHODS = {
    "full": "Full",
    "spc": "SPC",
    "spc_no_dropout": "SPC without dropout",
    "spc_cold": "SPC, each level from zero",
    "spc_short": "SPC, few passes",
    "spc_thesis": "SPC learnt as in the thesis",
    "spc_log_loss_start": "SPC begun with log loss",
    "crf": "CRF",
    "crf_no_dropout": "CRF without dropout",
    "perceptron": "Perceptron",
    "tags": "Tags",
}
DRAWN = ("spc", "crf", "perceptron", "spc_thesis", "spc_log_loss_start")
"""Cascades in charts; ablated ones are in tables only."""
CORPORA = {
    "ewt": "English Web Treebank",
    "ewt_whole": "English Web Treebank, all training sentences",
    "wsj": "Wall Street Journal sample",
}
SPACES = {
    1: "tags, by the bigram model",
    2: "pairs of tags, by the trigram model",
    "cascade": "whole cascade",
}
"""What is compared at equal sentences lost."""


def methods_frame(result: dict, features: str) -> pd.DataFrame:
    """Thesis Table 4.2, measured next to the paper's numbers; "times faster" than Full on the same corpus."""
    rows = [row for row in result["rows"] if row["features"] == features]
    full = {row["data"]: row for row in rows if row["method"] == "full"}
    table = []
    for row in rows:
        paper, base = row.get("paper") or {}, full.get(row["data"], row)
        broken = [level for level in row.get("levels", ())[:2] if not level["is_kept"]]
        table.append(
            {
                "corpus, method": _name_row(row),
                "words right %, measured": row["accuracy"],
                "words right %, paper": paper.get("accuracy"),
                "sentences lost %, measured": row["filter_loss_sentence"],
                "words lost %, measured": row["filter_loss_token"],
                "filter loss %, paper": paper.get("filter_loss"),
                "bigrams a position, measured": row["states"],
                "bigrams a position, paper": paper.get("states"),
                "filters over their tolerance": len(broken) if row.get("levels") else None,
                "learnt with dropout": row.get("dropout"),
                "levels begun at the one before": row.get("warm"),
                "passes at most": row.get("passes"),
                "µs a sentence, inference": row["us_inference"],
                "times faster, inference": base["us_inference"] / row["us_inference"],
                "µs a sentence, with features": row["us_total"],
                "times faster, with features": base["us_total"] / row["us_total"],
                "ms a sentence, paper": paper.get("ms"),
            }
        )
    frame = pd.DataFrame(table).set_index("corpus, method")
    return frame.apply(pd.to_numeric, errors="coerce")


def levels_frame(result, features) -> pd.DataFrame:
    """What each level may lose and loses, held out; not "kept" where no alpha keeps the tolerance."""
    table = [
        {
            "corpus, method, level": _name_row(row, level["order"]),
            "may lose %": level["tolerance"],
            "loses %, held out": level["lost_held_out"],
            "with levels before %": level["lost_held_out_in_all"],
            "kept": "no" if not level["is_kept"] else "yes, below the mean" if level["alpha"] < 0 else "yes",
            "alpha": level["alpha"],
            "trained at alpha": level["train_alpha"] if row["method"].startswith("spc") else None,
            "passes": level["n_passes"],
        }
        for row in result["rows"]
        if row["features"] == features
        for level in row.get("levels", ())
    ]
    return _index_rows(table)


def _name_row(row, *more):
    """A row's corpus and method, and further parts of its name, in words."""
    data, method = CORPORA.get(row["data"], row["data"]), METHODS.get(row["method"], row["method"])
    return ", ".join(map(str, (data, method, *more)))


def _index_rows(table):
    """A frame of some rows by their first column; None without rows."""
    return pd.DataFrame(table).set_index(next(iter(table[0]))) if table else None


def tried_frame(result, features) -> pd.DataFrame:
    """Settings tried on development sentences, and which were chosen: one row for each try."""
    table = [
        {
            "corpus, method, try": _name_row(row, row["number"] + 1),
            "settings": ", ".join(
                f"{key} {_format_numbers(value)}" for key, value in row["settings"].items()
            ),
            **{f"bigrams at {loss:g} %": pairs for loss, pairs in zip(row["losses"], row["pairs"])},
            "mean": row["score"],
            "taken": "yes" if row["is_taken"] else "",
        }
        for row in result.get("tried", ())
        if row["features"] == features
    ]
    return _index_rows(table)


def _format_numbers(value):
    return ", ".join(f"{each:g}" for each in np.atleast_1d(value))


def equal_frame(result, features) -> pd.DataFrame:
    """n-grams left per position at each exact share of test sentences lost; "–" where a filter cannot."""
    table = {}
    for row in (row for row in result.get("equal", ()) if row["features"] == features):
        where = f"{CORPORA.get(row['data'], row['data'])}, {SPACES[row['filter']]}, {row['target']:.3g} %"
        method = METHODS.get(row["method"], row["method"])
        table.setdefault(where, {})[method] = with_interval(row, "pairs_equal")
    frame = pd.DataFrame.from_dict(table, orient="index")
    return frame.rename_axis("corpus, filter, sentences lost") if table else None


def orders_frame(result, features, split="test"):
    """Both SPCs at every order: words right, sentences lost, n-grams kept, time."""
    table = [
        {
            "corpus, method, order": _name_row(row, row["order"]),
            "words right %": row["accuracy"],
            "sentences lost %": row["filter_loss_sentence"],
            "(n-1)-grams a position": row["states"],
            "tags a position": row["tags"],
            "µs a sentence, inference": row["us_inference"],
        }
        for row in result["orders"]
        if (row["features"], row["split"]) == (features, split) and "method" in row
    ]
    return _index_rows(table).apply(pd.to_numeric, errors="coerce") if table else None


def with_interval(row, name):
    """A value and its interval in words; "–" if there is none.

    >>> with_interval({"n": 3.21, "n_low": 2.9, "n_high": 3.5}, "n")
    '3.21 (2.9 to 3.5)'
    """
    if row[name] is None:
        return "–"
    low, high = row[f"{name}_low"], row[f"{name}_high"]
    if low is None:
        return f"{row[name]:.3g}"
    return f"{row[name]:.3g} ({low:.3g} " + ("or more)" if high is None else f"to {high:.3g})")
