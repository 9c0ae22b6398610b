"""Views of estimators, lattices and curves in a notebook: those of the app, without the app.

A view is shown in a frame whose document is written into the cell (``srcdoc``): it works offline, in Jupyter,
VS Code and Colab, and in a notebook that was saved as HTML. The frame may run its own script and none of the
notebook's. Where no script runs, or no frame is shown, a picture (PNG) shows what was kept.
"""

import base64
import time
from collections.abc import Sequence
from html import escape
from typing import NamedTuple

import numpy as np
import plotly.graph_objects as go

from spcviz.engine.errors import ArgumentError
from spcviz.engine.ngrams.lattice import decode
from spcviz.engine.ngrams.prune import prune
from spcviz.learning.cascade.decoding import LevelRun
from spcviz.sequences.lattices import OneLevel
from spcviz.shared.trace import WordTrace, arc_level
from spcviz.web.exporting import page, stills, verdict
from spcviz.web.lattice import component
from spcviz.web.view import mount

HEIGHT = 760
_NONE = np.zeros(0, dtype=np.int32)


class NotebookView(NamedTuple):
    """A view for a notebook."""

    html: str  # a whole document, which also works as a file
    png: bytes  # the labels left at each position, for use where no script runs
    height: int = HEIGHT  # of the frame, in pixels

    def _repr_html_(self) -> str:
        frame = escape(self.html, quote=True)
        return (
            f'<iframe srcdoc="{frame}" sandbox="allow-scripts allow-downloads" title="spcviz" '
            f'style="width: 100%; height: {self.height}px; border: 0"></iframe>'
        )

    def _repr_png_(self) -> bytes:
        return self.png

    def __repr__(self) -> str:
        size = f"{len(self.html) / 1000:.0f} kB"
        return f"<a view of {size}: display it in a notebook, or write .html to a file>"


class NotebookChart(go.Figure):
    """A chart for a notebook, with a picture (PNG) for use where no script runs."""

    def __init__(self, *arguments, png: bytes = b"", **options) -> None:
        super().__init__(*arguments, **options)
        self.__dict__["png"] = png  # plotly accepts no attribute outside its schema

    _ipython_display_ = None  # plotly's shows only scripts; without it notebooks request the bundle

    def _repr_mimebundle_(self, *arguments: object, **options: object) -> dict[str, object]:
        picture = {"image/png": base64.b64encode(self.png).decode()}
        return {"text/plain": repr(self), **super()._repr_mimebundle_(*arguments, **options), **picture}


def show(thing: object, x: Sequence | None = None, words: Sequence[str] | None = None) -> object:
    """Implementation of `spcviz.show`."""
    kind = type(thing).__name__
    if kind in ("CascadeTagger", "StructuredPerceptron", "StructuredSVM", "ChainCRF", "BudgetedTagger"):
        if x is None:
            raise ArgumentError("x must be one sequence that the tagger reads, got None")
        if kind == "BudgetedTagger":
            return _course(thing, x, words)
        if kind != "CascadeTagger":
            return thing.show(x, words)
        traced = _trace(thing.levels_of(x), thing.classes_, _name(words, len(x)))
        return _lattice(traced, "A cascade on one sequence")
    if kind == "Lattices":
        return _lattice(_of_lattices(thing, words), "What pruning left of one sequence")
    if kind in ("Curves", "BudgetCurve"):
        return _curves(thing)
    if kind == "Sequences":
        return thing.show(0 if x is None else x, words)
    if kind == "Judgement":
        return NotebookView(*verdict.draw_verdict(thing), height=900)
    kinds = "a tagger, Sequences, Lattices, Curves, BudgetCurve or a verdict"
    raise ArgumentError(f"thing must be {kinds}, got {kind}")


def _name(words, n):
    given = [str(word) for word in words] if words is not None else [str(k) for k in range(1, n + 1)]
    if len(given) != n:
        raise ArgumentError(f"words must name {n} positions, got {len(given)}")
    return tuple(given)


def _of_lattices(lattices, words):
    if len(lattices) != 1:
        raise ArgumentError(f"thing must be lattices of one sequence to be shown, got {len(lattices)}")
    lattice, score = lattices.arrays()
    n_positions = len(lattices.decode()[0])
    names = lattices.labels or range(lattice.n_states)
    return _trace([OneLevel(lattice, score, 0.0)], names, _name(words, n_positions))


def _trace(levels, names, words):
    """Trace each level, the last one too, with its threshold and the time that pruning takes."""
    traced, read = [], []
    for level in levels:
        prune(level.lattice, level.score, level.alpha)  # loads the kernel
        start = time.perf_counter()
        pruned = prune(level.lattice, level.score, level.alpha)
        us = 1e6 * (time.perf_counter() - start)
        step = LevelRun(level.lattice, level.score, pruned)
        traced.append(arc_level(level, step, None, None, level.alpha, us))
        read.append(decode(level.lattice, level.score).labels)
    return WordTrace(
        word_id=-1,
        truth=_NONE,
        pixels=np.zeros((0, 16, 8), dtype=np.uint8),
        alphabet=tuple(str(name) for name in names),
        levels=tuple(traced),
        predictions=np.array(read, dtype=np.int32),
        microseconds=sum(level.microseconds for level in traced),
        microseconds_dense=np.nan,
        words=words,
    )


def _lattice(trace, title):
    payload, parts = component.lattice_payload(trace, features="own")
    view = {"alphas": [None] * len(trace.levels), "level": 1, "step": 4, "cell": ""}
    view |= {"pin_a": "", "pin_b": "", "reveal": "shown"}
    sent = payload | {"view": view, "epoch": 0, "seq": 0}
    mounted = mount.Mounted(component.LATTICE, sent, mount.ready(parts))
    best = " ".join(trace.alphabet[k] for k in trace.predictions[-1])
    still = stills.lattice(trace)
    return NotebookView(page.of_view(mounted, title, f"Best labels: {best}", still), still)


def _course(tagger, x, words):
    """One row per purchase: how often each position was raised by then, and its label."""
    course = tagger.course(x)
    start = tagger.predict([x], budget=0.0)[0]
    lifts = np.zeros((len(course) + 1, len(start)), dtype=int)
    for row, step in enumerate(course, start=1):
        lifts[row] = lifts[row - 1]
        lifts[row, slice(None) if step.position < 0 else step.position] += 1
    cost = np.concatenate([[0.0], np.cumsum([step.cost for step in course])])
    heads, spent = _name(words, len(start)), [f"{total:g}" for total in cost]
    read = [start, *(step.labels for step in course)]
    figure = NotebookChart(png=stills.course(lifts, spent, heads, read))
    figure.add_heatmap(
        z=lifts, x=list(heads), y=spent, colorscale="Blues", text=read, texttemplate="%{text}",
        colorbar={"title": "purchases", "dtick": 1},
    )  # fmt: skip
    axes = {"xaxis": {"type": "category"}, "yaxis": {"type": "category", "title": "spent"}}
    return figure.update_layout(title="What each purchase changes", **axes)


def _curves(curves):
    """Plot each field against alpha or the budget."""
    figure = go.Figure()
    if type(curves).__name__ == "BudgetCurve":
        figure.add_scatter(x=curves.cost, y=curves.error, mode="lines+markers", name="error")
        figure.update_layout(xaxis_title="cost", yaxis_title="share of positions that are wrong")
    else:
        for name, (at, height) in curves._asdict().items():
            figure.add_scatter(x=at, y=height, line_shape="hv", name=name.replace("_", " "))
        figure.update_layout(xaxis_title="alpha", yaxis_title="share")
    return NotebookChart(figure, png=stills.curves(figure))
