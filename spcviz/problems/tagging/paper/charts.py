"""Charts of the Tagging page: two pruning rules on one sentence, filters compared on two corpora."""

import html
from typing import Literal

from spcviz.problems.tagging.paper.tables import CORPORA, DRAWN, METHODS
from spcviz.problems.tagging.shown import TagComparison
from spcviz.web.figures.filter_curves import filter_curves, style_of
from spcviz.web.figures.palette import Palette
from spcviz.web.figures.plain import plain
from spcviz.web.figures.theme import SIZE, Chart, figure, mark, points, stroke

FILTERED = {1: "tags", 2: "pairs of tags"}

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
    """The same in two sentences."""
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
