"""Tables and charts of tagging (thesis Table 4.2): filters on whole corpora, SPC and CRF on one sentence."""

import html
from typing import Literal

import numpy as np
import pandas as pd

from spcviz.problems.tagging.shown import TagComparison
from spcviz.web.figures.filter_curves import filter_curves, style_of
from spcviz.web.figures.formatting import plain
from spcviz.web.figures.palette import Palette
from spcviz.web.figures.theme import SIZE, Chart, figure, mark, points, stroke

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


ROWS = ("without structure", "SPC begun with<br>log loss keeps", "CRF keeps", "the cascade says")


def _list_tags(tags, most=3):
    more = len(tags) - most
    return "<br>".join(tags[:most]) + (f"<br>+{more}" if more > 0 else "")


def side_by_side(comparison: TagComparison, palette: Palette, scale: float = 1.0, height: int = 440) -> Chart:
    """What SPC and CRF keep of each word's tags, with the answers with and without structure."""
    alone, tagged = ([(tag,) for tag in tags] for tags in (comparison.alone, comparison.tagged))
    cells, x = (alone, comparison.spc, comparison.crf, tagged), list(range(len(comparison.words)))
    counts = {"x": x, "y": list(ROWS), "z": [[len(tags) for tags in row] for row in cells]}
    text = {"text": [[_list_tags(tags) for tags in row] for row in cells], "texttemplate": "%{text}"}
    text["textfont"] = {"size": round(SIZE * scale), "color": palette.text}
    look = {"colorscale": [[0, palette.background], [1, palette.border]], "zmin": 1, "zmax": 7}
    look |= {"showscale": False, "xgap": 2, "ygap": 4, "hoverinfo": "skip"}
    traces = [{"type": "heatmap"} | counts | text | look]
    for name, row in zip(ROWS, cells):
        meanings = ["; ".join(f"{tag} = {comparison.meanings[tag]}" for tag in tags) for tags in row]
        hover = {"customdata": meanings, "marker": {"size": 12, "opacity": 0}, "showlegend": False}
        traces.append(points("markers", x, [name] * len(x), name, "%{customdata}", **hover))
    words = [html.escape(word, quote=False) for word in comparison.words]  # plotly interprets HTML tags
    spikes = {"showspikes": True, "spikemode": "across", "spikethickness": 1}
    axes = {
        "xaxis": {"tickvals": x, "ticktext": words, "side": "top", "showgrid": False} | spikes,
        "yaxis": {"autorange": "reversed", "showgrid": False},
    }
    return figure(traces, axes, palette, scale=scale, height=height, left=9, top=3, hovermode="x unified")


def side_by_side_text(comparison):
    """`side_by_side` in two sentences."""
    n = len(comparison.words)
    counts = [sum(len(tags) for tags in kept) / n for kept in (comparison.spc, comparison.crf)]
    answers = zip(comparison.words, comparison.alone, comparison.tagged)
    wrong = ", ".join(plain(word) for word, alone, tag in answers if alone != tag)
    changed = f"Neighbours change the answer at {wrong}." if wrong else "Here neighbours change no answer."
    spc_alpha, crf_alpha = f"{comparison.spc_alpha:.3f}", f"{100 * comparison.crf_alpha:.2g} %"
    return (
        f"From the same tags, at \u03b1 = {spc_alpha}, max-marginals (SPC begun with log loss) leave "
        f"{counts[0]:.1f} tags a word; probabilities (CRF, a tag goes at {crf_alpha} or less) leave "
        f"{counts[1]:.1f}. {changed}"
    )


def verdict(comparison: TagComparison, known) -> str:
    """Whether the cascade's answer is right, in a sentence; nothing where that is not `known`."""
    if known is None:
        return ""
    if comparison.tagged == known.tags:
        return " The cascade's answer is right \u2714."
    return f" The cascade's answer is wrong \u2718. {known.why}".rstrip()


FILTERED = {1: "tags", 2: "pairs of tags"}


def curves(
    result: dict,
    features: str,
    data: str,
    palette: Palette,
    *,
    split: Literal["dev", "test"] = "test",
    scale: float = 1.0,
    height: float = 430,
) -> Chart:
    """Sentences that lose their truth against tags (first filter) and pairs of tags (second) kept."""
    wanted = {"features": features, "data": data}.items()
    matches = (row for row in result.get("curves", ()) if wanted <= row.items())
    rows = [row | {"level": row["filter"], "fold": 0} for row in matches]
    about = {"names": FILTERED, "examples": "sentences", "show_fold": False}
    return filter_curves(rows, {}, palette, split=split, scale=scale, height=height, **about)


def equal(result: dict, features: str, palette: Palette, *, scale: float = 1.0, height: float = 430) -> Chart:
    """Bigrams left at each exact share of test sentences lost, one panel per corpus, with intervals."""
    wanted = {"features": features, "filter": "cascade"}.items()
    rows = [row for row in result.get("equal", ()) if wanted <= row.items() and row["method"] in DRAWN]
    rows = [row for row in rows if row["pairs_equal"] is not None]
    corpora = list(dict.fromkeys(row["data"] for row in rows))
    width = (1 - 0.12 * (len(corpora) - 1)) / max(len(corpora), 1)
    traces, axes, notes = [], {}, []
    for panel, data in enumerate(corpora):
        number, start = "" if panel == 0 else str(panel + 1), panel * (width + 0.12)
        where = {"domain": [start, start + width], "anchor": f"y{number}"}
        axes[f"xaxis{number}"] = {"title": "sentences lost, %", "type": "log"} | where
        axes[f"yaxis{number}"] = {"type": "log", "anchor": f"x{number}"}
        at = {"x": 0.5, "xref": f"x{number} domain", "y": 1, "yref": "paper", "yanchor": "bottom"}
        notes.append(at | {"text": f"<b>{CORPORA.get(data, data)}</b>"})
        for method in dict.fromkeys(row["method"] for row in rows):
            of_method = [row for row in rows if (row["data"], row["method"]) == (data, method)]
            here = {"xaxis": f"x{number}", "yaxis": f"y{number}", "showlegend": panel == 0}
            traces.append(_equal_line(method, of_method, palette, scale) | here)
    axes.setdefault("yaxis", {})["title"] = "bigrams a position"
    return figure(traces, axes, palette, notes=notes, scale=scale, height=height, left=5.5, top=4.6)


def _equal_line(method, rows, palette, scale):
    role, symbol = style_of(method)
    value = [row["pairs_equal"] for row in rows]

    def ends(name, sign):
        there = [row[f"pairs_equal_{name}"] for row in rows]
        return [0.0 if end is None else sign * (end - at) for end, at in zip(there, value)]

    x, hover = [row["target"] for row in rows], "%{x:.3g} % lost: %{y:.3g} bigrams a position"
    bars = {"type": "data", "symmetric": False, "array": ends("high", 1), "arrayminus": ends("low", -1)}
    look = stroke(getattr(palette, role), 2 * scale) | mark(8 * scale, symbol) | {"error_y": bars}
    name = METHODS.get(method, method)
    return points("lines+markers", x, value, name, hover, legendgroup=method) | look


def curves_text(result, features, data, split="test", allowed=2.0):
    """What each filter keeps where it loses at most `allowed` percent of the sentences, in words."""
    needs = []
    for number, name in FILTERED.items():
        kept = {}
        wanted = {"features": features, "data": data, "filter": number, "split": split}.items()
        for row in (row for row in result.get("curves", ()) if wanted <= row.items()):
            fits = [e for e, lost in zip(row["efficiency_loss"], row["filter_loss"]) if lost <= allowed]
            least = min(row["filter_loss"], default=100.0)
            kept[row["method"]] = f"{min(fits):.1f} %" if fits else f"cannot (it loses {least:.1f} % or more)"
        if kept:
            parts = [f"{METHODS.get(method, method)} {share}" for method, share in kept.items()]
            needs.append(f"of {name}, {', '.join(parts)}")
    if not needs:
        return "No curves are stored for this choice."
    return f"To lose at most {allowed:g} % of the sentences, a filter must keep: " + "; ".join(needs) + "."
