"""Charts and sentences of the losses from CRF to SVM: over epsilon, and the letters that each pushes down."""

import numpy as np

from spcviz.problems.exact.page.charts import BARE, letter, word_of
from spcviz.problems.exact.page.text import HELP
from spcviz.problems.exact.shown import FamilyRun, WordProblem
from spcviz.web.figures.formatting import count
from spcviz.web.figures.palette import Palette
from spcviz.web.figures.pixels import letter_image
from spcviz.web.figures.theme import Chart, figure, line, mark, points, stroke

N_ROWS = 5  # letters that are named at each position
_IMAGE, _WIDE = 1.5, 0.6  # height of a letter's image in rows; length of a full bar in columns
COSTS = ("a wrong letter costs 0", "costs 1", "costs 1 − ε: CRF to SVM")
_ROLES = (("map", "dash"), ("threshold", "dot"), ("accent", "solid"))


def family(
    problem: WordProblem,
    run: FamilyRun,
    at: int,
    cost: int,
    palette: Palette,
    *,
    scale: float = 1.0,
    height: float = 500,
) -> Chart:
    """Losses over epsilon with four corners named, and the letters behind one of them at one epsilon."""
    traces = [_curve(run, c, c == cost, palette, scale) for c in range(3)]
    traces.append(_now(run, at, cost, palette, scale))
    bars, notes, images = _letters(problem, run, at, cost, palette, scale)
    top = 1.16 * run.value.max() + 1e-9
    axes = {
        "xaxis": {"title": "ε, from 1 down to 0", "range": [1.02, -0.02], "domain": [0, 0.44]},
        "yaxis": {"title": "loss of this word", "range": [-0.04 * top, top]},
        "xaxis2": BARE | {"range": [-0.02, len(problem.truth)], "domain": [0.5, 1], "anchor": "y2"},
        "yaxis2": BARE | {"range": [-N_ROWS + 0.3, 0.9 + _IMAGE], "anchor": "x2"},
    }
    shapes = [line(palette.accent, 2 * scale, x=float(run.epsilons[at]), dash="dot")]
    more = {"notes": _corners(run, palette, scale) + notes, "shapes": shapes, "images": images}
    more |= {"barmode": "overlay"}
    return figure([*traces, *bars], axes, palette, scale=scale, height=height, left=4.2, top=4.4, **more)


def _curve(run, cost, is_shown, palette, scale):
    role, dash = _ROLES[cost]
    hover = f"ε = %{{x:.2f}}: loss %{{y:.3f}}<extra>{COSTS[cost]}</extra>"
    look = stroke(getattr(palette, role), (4 if is_shown else 2) * scale, dash)
    return points("lines", run.epsilons, run.value[cost], COSTS[cost], hover) | look


def _now(run, at, cost, palette, scale):
    edge = {"color": palette.background, "width": 2}
    look = mark(15 * scale, color=getattr(palette, _ROLES[cost][0]), line=edge)
    return points("markers", [run.epsilons[at]], [run.value[cost, at]]) | look


def _corners(run, palette, scale):
    """Names at the ends of the curves, on the side with free space."""
    notes, font = [], {"size": round(14 * scale), "color": palette.text}
    left, right = {"xanchor": "left", "xshift": 8 * scale}, {"xanchor": "right", "xshift": -3 * scale}
    above, below = {"yanchor": "bottom", "yshift": 7 * scale}, {"yanchor": "top", "yshift": -6 * scale}
    for cost, end, name, where in (
        (0, 0, "CRF: log-loss", left | above),
        (0, -1, "perceptron", right | below),
        (1, 0, "softmax-margin", left | above),
        (1, -1, "SVM: hinge", right | above),
    ):
        at = {"x": float(run.epsilons[end]), "y": float(run.value[cost, end])}
        notes.append(at | where | {"text": f"<b>{name}</b>", "font": font})
    return notes


def _letters(problem, run, at, cost, palette, scale):
    """(bars, notes, images): at each position the truth, then the letters that are blamed at some epsilon."""
    weights, most = run.weights[cost, at], run.weights[cost].max(axis=0)
    cells, notes, images = [], [], []  # a cell: (column, row, share, whether it is the truth)
    for i, truth in enumerate(problem.truth.tolist()):
        others = [k for k in np.argsort(-most[i], kind="stable").tolist() if k != truth]
        for row, k in enumerate([truth, *others[: N_ROWS - 1]]):
            share = float(weights[i, k])
            cells.append((i, row, share, k == truth))
            colour = palette.truth if k == truth else palette.text if share >= 0.005 else palette.muted
            font = {"size": round(17 * scale), "color": colour}
            place = {"x": i + 0.15, "y": -row, "xref": "x2", "yref": "y2"}
            notes.append(place | {"text": f"<b>{letter(k)}</b>", "font": font})
        image = letter_image(problem.pixels[i], palette.text, i + 0.45, 0.75, _IMAGE)
        images.append(image | {"xref": "x2", "yref": "y2", "sizex": 0.7})
    bars = [_bars([(i, row, 1.0) for i, row, *_ in cells], palette.border, None)]
    pulled = [cell[:3] for cell in cells if cell[3]]
    pushed = [cell[:3] for cell in cells if not cell[3]]
    bars.append(_bars(pulled, palette.truth, "written letter: pulled up"))
    bars.append(_bars(pushed, palette.lost, "other letters: pushed down"))
    return bars, notes, images


def _bars(cells, colour, name):
    """Horizontal bars that begin next to their letters; without a name, the paler ground behind them."""
    columns, rows, shares = zip(*cells)
    places = {"base": [i + 0.3 for i in columns], "y": [-row for row in rows], "xaxis": "x2", "yaxis": "y2"}
    trace = {"type": "bar", "orientation": "h", "x": [_WIDE * share for share in shares]} | places
    trace |= {"customdata": shares, "marker": {"color": colour, "line": {"width": 0}}}
    if not name:
        return trace | {"width": 0.12, "name": "", "showlegend": False, "hoverinfo": "skip"}
    hover = {"hovertemplate": "share %{customdata:.3f}<extra></extra>"}
    return trace | {"width": 0.6, "name": name, "showlegend": True} | hover


def losses(run, at, cost, length):
    """Label, value, note, help of the counters next to the family of losses."""
    shared = HELP["shared"].format(count=count(26**length))
    epsilon = f"at ε = {run.epsilons[at]:.2f}"
    return [
        ("Loss", f"{run.value[cost, at]:.2f}", epsilon, HELP["loss"]),
        ("Readings to blame", f"{run.n_readings[cost, at]:.1f}", epsilon, shared),
        ("CRF: log-loss", f"{run.value[0, 0]:.2f}", "ε = 1, no cost", HELP["log_loss"]),
        ("SVM: hinge", f"{run.value[1, -1]:.2f}", "ε = 0, cost 1", HELP["hinge"]),
    ]


def describe_loss(problem, run, at, cost):
    """What the loss asks for at one epsilon, in words."""
    epsilon, value = run.epsilons[at], run.value[cost, at]
    truth = word_of(problem)
    rival = "".join(letter(k) for k in run.weights[cost, at].argmax(axis=1))
    ends = ("the CRF's log-loss", "softmax-margin", "the CRF's log-loss")
    ends = ends if epsilon == 1 else ("the perceptron", "the SVM's hinge", "the SVM's hinge")
    alias = f", {ends[cost]}" if epsilon in (0, 1) else ""
    best = "best" if epsilon == 0 else "soft maximum"
    sentence = (
        f"**ε = {epsilon:.2f}{alias}.** The loss is the {best} of score + cost over all readings, less the "
        f"score of “**{truth}**”: **{value:.2f}**. "
    )
    if epsilon == 1 and cost != 1:
        sentence += f"The model gives what was written a probability of {np.exp(-value):.1%}. "
    if epsilon > 0:
        shared = f"{run.n_readings[cost, at]:.1f}"
        sentence += f"About **{shared}** of {26 ** len(truth):,} readings share the blame (bars). "
    elif rival == truth:
        lead = "every other reading by its wrong letters" if cost else "every other reading"
        sentence += f"What was written leads {lead}: nothing is left to learn here. "
    else:
        sentence += f"One single reading is pushed down: “**{rival}**”. "
    return sentence
