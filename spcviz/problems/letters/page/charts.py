"""Chart and sentences of the Letters page: n-grams that levels find and keep at each position (Fig. 4.5)."""

import numpy as np

from spcviz.web.figures.filter_curves import grams
from spcviz.web.figures.palette import Palette
from spcviz.web.figures.pixels import ink
from spcviz.web.figures.theme import Chart, figure, mark, points

INTRODUCTION = (
    "# Letters: watch a cascade prune\nWhich **letters** could stand at each place, which **pairs**, which "
    "**triples**? At each level the cascade discards what no plausible word contains. Drag the threshold."
)
CHOSEN = (
    "This is a development word, chosen because the first three levels misread it and the fourth reads it "
    "right. Not every word ends so well: choose from the misread."
)
RULE_HELP = (
    "*Mean and best* (thesis): the line lies a share α of the way from the mean of what is left to the best. "
    "*Margin*: it lies the same distance below the best for every word. Both are tuned on development words, "
    "to lose as many of them at each level."
)

NO_MARGINS = (
    "Margins are tuned on words of a development set, which only the open vocabulary has here: this is the "
    "threshold between mean and best."
)

FEW_WORDS = (
    "This data has 55 different words, each without its first letter (a capital). A plain dictionary "
    "of the training words beats the cascade on them, but it cannot know other words. The cascade "
    "shows how little exact inference can cost when nothing is known about the words."
)

_TIER = 0.86  # share of a position's width that its bars take
_MOST_LABELS = 60  # the most bars on which a number each still fits


def positions(
    pixels: np.ndarray,
    counts,
    palette: Palette,
    *,
    is_shown: bool = True,
    scale: float = 1.0,
    height: float = 520,
) -> Chart:
    """Per position one bar per level: grey is what the level finds, the solid part what it keeps."""
    width = _TIER / len(counts)
    at, names = [], []
    for level, one in enumerate(counts):
        for c in range(len(one.valid)):
            at.append(c + (level - (len(counts) - 1) / 2) * width)
            names.append(f"level {level + 1}: {grams(one.order)} from letter {c + 1} on")
    valid, kept, lost = (
        np.concatenate([getattr(one, name) for one in counts]).tolist()
        for name in ("valid", "kept", "is_lost")
    )
    top = max(valid)
    bar = {"type": "bar", "x": at, "width": 0.9 * width, "text": names}
    traces = [
        bar
        | {"y": valid, "name": "found by the level", "textposition": "none"}
        | {"marker": {"color": palette.border, "line": {"color": palette.pruned, "width": scale}}}
        | {"hovertemplate": "%{text}<br>%{y} found<extra></extra>"},
        bar
        | {"y": kept, "name": "kept (the number)", "textposition": "none"}
        | {"marker": {"color": palette.kept}, "hovertemplate": "%{text}<br>%{y} kept<extra></extra>"},
    ]
    small = {"size": round(min(14 * scale, 620 * scale / max(len(at), 1) + 4)), "color": palette.text}
    if len(at) <= _MOST_LABELS:
        look = {"text": kept, "textfont": small, "textposition": "top center"}
        traces.append(points("text", at, valid, **look))
    if is_shown and any(lost):
        here = [i for i, is_lost in enumerate(lost) if is_lost]
        # in the middle of a tall bar, over the number of a small one
        height_of = [0.5 * valid[i] if valid[i] > 0.2 * top else valid[i] + 0.1 * top for i in here]
        falls = points("markers", [at[i] for i in here], height_of, "what was written falls here")
        traces.append(falls | mark(11 * scale, "x", color=palette.lost))
    axes = {
        "xaxis": {"range": [-0.5, len(pixels) - 0.5], "showgrid": False, "ticks": "", "fixedrange": True}
        | {"tickvals": list(range(len(pixels))), "ticktext": [str(i + 1) for i in range(len(pixels))]}
        | {"title": f"letter at which the n-gram begins; bars from left to right: levels 1 to {len(counts)}"},
        "yaxis": {"title": "n-grams", "range": [0, 1.35 * top], "rangemode": "tozero"},
    }
    images = [
        {"source": ink(letter, palette.text), "x": i, "xref": "x", "xanchor": "center", "sizex": 0.6}
        | {"y": 1, "yref": "y domain", "yanchor": "top", "sizey": 0.15, "sizing": "contain"}
        for i, letter in enumerate(np.asarray(pixels))
    ]
    more = {"barmode": "overlay", "images": images}
    return figure(traces, axes, palette, scale=scale, height=height, left=5, top=2.6, **more)


def describe_bars(counts, word: str) -> str:
    """The bars in words; `word` is what was written, empty while the truth is hidden."""
    parts = [f"{int(one.kept.sum()):,} of {int(one.valid.sum()):,} {grams(one.order)}" for one in counts]
    widest = max(counts, key=lambda one: one.valid.max())
    at = int(widest.valid.argmax())
    text = f"“**{word}**”: " if word else ""
    text += f"the levels keep {', then '.join(parts)}. Most work: **{int(widest.valid[at])}** "
    text += f"{grams(widest.order)} from letter {at + 1} on. "
    if narrow := int((counts[-1].kept == 1).sum()):
        text += f"At {narrow} of {len(counts[-1].kept)} places the last level leaves one single possibility. "
    if lost := [n for n, one in enumerate(counts, start=1) if word and one.is_lost.any()]:
        text += f"What was written is lost at level {lost[0]}. "
    return text + "(Thesis, Fig. 4.5; counted on this word just now.)"


def margins(trace, tuned):
    """The margins of the levels on display, in a sentence."""
    each = ", ".join(
        f"{margin:.3g} at level {n}" for n, margin in enumerate(tuned[: len(trace.levels)], start=1)
    )
    return (
        f"Threshold: a margin below the best, the same for every word ({each}), tuned on development words. "
        "The tuned α of a level is this word's own that stands for it, 1 − margin / (best − mean)."
    )
