"""Charts of Your data: a model's confusions and its calibration."""

import html
from collections import Counter

import numpy as np

from spcviz.problems.own_data.shown import LearningCurve, Report
from spcviz.web.figures.palette import Palette
from spcviz.web.figures.theme import SIZE, Chart, figure, mark, points, stroke

MOST_LABELS = 16
"""Most rows and columns of the confusion matrix: the labels mistaken most often."""
N_BINS = 10


def confusions(report: Report) -> list[tuple[str, str, int]]:
    """(gold, answer, how often) of every mistake, the most frequent first."""
    wrong = (report.truth >= 0) & (report.truth != report.guess)
    counts = Counter(zip(report.truth[wrong].tolist(), report.guess[wrong].tolist()))
    rows = [(report.labels[a], report.labels[b], n) for (a, b), n in counts.items()]
    return sorted(rows, key=lambda row: (-row[2], row[:2]))


def confusion(report: Report, palette: Palette, scale: float = 1.0, height: float = 520) -> Chart:
    """Confusion matrix of the labels mistaken most often: gold down, answers across, mistakes counted."""
    mistakes = confusions(report)
    weight = Counter(dict.fromkeys(report.labels, 0))  # ties stay in the order of labels
    for gold, guess, n in mistakes:
        weight.update({gold: n})
        weight.update({guess: n})
    names = [name for name, n in weight.most_common(MOST_LABELS) if n]
    z = np.zeros((len(names), len(names)))
    for gold, guess, n in mistakes:
        if gold in names and guess in names:
            z[names.index(gold), names.index(guess)] = n
    shown = [html.escape(name) for name in names]
    trace = {
        "type": "heatmap",
        "x": shown,
        "y": shown,
        "z": z,
        "text": [[f"{n:.0f}" if n else "" for n in row] for row in z],
        "texttemplate": "%{text}",
        "textfont": {"size": round(SIZE * scale)},
        "colorscale": [[0, palette.background], [1, palette.accent]],
        "showscale": False,
        "xgap": 1,
        "ygap": 1,
        "hovertemplate": "gold %{y}, read as %{x}: %{z}<extra></extra>",
    }
    # A heat map does not report which cell was clicked; almost invisible markers do.
    cells = [
        (shown[a], shown[b], names[a], names[b])
        for a in range(len(names))
        for b in range(len(names))
        if z[a, b]
    ]
    clicks = {
        "type": "scatter", "mode": "markers", "x": [cell[1] for cell in cells],
        "y": [cell[0] for cell in cells],
        "customdata": [cell[2:] for cell in cells], "hoverinfo": "skip", "showlegend": False,
        "marker": {"symbol": "square", "size": 24 * scale, "color": palette.accent, "opacity": 0.01},
    }  # fmt: skip
    axes = {
        "xaxis": {"title": "what the model says", "side": "top", "type": "category", "showgrid": False},
        "yaxis": {"title": "gold", "autorange": "reversed", "type": "category", "showgrid": False},
    }
    return figure([trace, clicks], axes, palette, scale=scale, height=height, left=7, top=6)


def learning_curve(
    learned: LearningCurve, palette: Palette, scale: float = 1.0, height: float = 440
) -> Chart:
    """Tokens right and F1 on the same held-out sentences, against the number of training sentences."""
    x = [point.n_sentences for point in learned.points]
    lines = (
        ("F1", [point.f1 for point in learned.points], palette.accent, "solid", 4),
        ("tokens right", [point.right for point in learned.points], palette.muted, "dash", -4),
    )
    if np.allclose(*([value for value, _, _ in line[1]] for line in lines)):
        lines = lines[1:]  # labels without chunks: F1 is the share of tokens
    traces = []
    for name, values, colour, dash, _ in lines:
        share = [100 * value for value, _, _ in values]
        bars = {
            "type": "data", "symmetric": False, "color": colour, "thickness": 1.5 * scale, "width": 5 * scale,
            "array": [100 * (high - value) for value, _, high in values],
            "arrayminus": [100 * (value - low) for value, low, _ in values],
        }  # fmt: skip
        hover = f"{name} %{{y:.1f}} % from %{{x:,}} sentences<extra></extra>"
        look = stroke(colour, 2 * scale, dash) | mark(8 * scale, color=colour) | {"error_y": bars}
        traces.append(points("lines+markers", x, share, name, hover, **look))
    axes = {
        "xaxis": {
            "title": "sentences learned from",
            "type": "log",
            "tickvals": x,
            "ticktext": [f"{n:,}" for n in x],
        },
        "yaxis": {"title": "%, with 95 % intervals"},
    }
    return figure(traces, axes, palette, scale=scale, height=height, left=5, top=3.4)


def reliability(report: Report) -> list[tuple[float, float, int]]:
    """(mean probability, share that is right, tokens) of the tokens in each tenth of the probabilities."""
    known = report.truth >= 0
    sure, right = report.sure[known].astype(float), (report.truth == report.guess)[known]
    tenth = np.minimum((sure * N_BINS).astype(int), N_BINS - 1)
    return [
        (float(sure[tenth == b].mean()), float(right[tenth == b].mean()), int((tenth == b).sum()))
        for b in range(N_BINS)
        if (tenth == b).any()
    ]


def calibration_error(report: Report) -> float:
    """Mean distance between the probability of answers and the share that is right, weighted by tokens."""
    rows = reliability(report)
    n = sum(count for _, _, count in rows)
    return sum(count * abs(sure - right) for sure, right, count in rows) / max(n, 1)


def calibration(report: Report, palette: Palette, scale: float = 1.0, height: float = 460) -> Chart:
    """How often an answer is right, against the probability that the model gives it."""
    rows = reliability(report)
    most = max((count for *_, count in rows), default=1)
    sure, right, counts = zip(*rows) if rows else ((), (), ())
    sizes = [(7 + 17 * (n / most) ** 0.5) * scale for n in counts]
    hover = "sure %{x:.2f}, right %{y:.1%} of %{customdata} tokens<extra></extra>"
    should = stroke(palette.muted, 2 * scale, "dot")
    observed = stroke(palette.accent, 2 * scale) | mark(sizes, color=palette.accent) | {"customdata": counts}
    traces = [
        points("lines", [0, 1], [0, 1], "as sure as it should be", **should),
        points("lines+markers", sure, right, "held-out tokens (larger: more of them)", hover, **observed),
    ]
    axes = {
        "xaxis": {"title": "probability that the model gives its answer", "range": [-0.02, 1.02]},
        "yaxis": {"title": "share that is right", "range": [-0.02, 1.05]},
    }
    return figure(traces, axes, palette, scale=scale, height=height, left=5, top=3.4)
