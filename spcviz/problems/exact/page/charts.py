"""The Exact inference page's charts: work, ink against pairs, messages along a word, its factor graph."""

from collections.abc import Sequence

import numpy as np

from spcviz.web.figures.palette import Palette
from spcviz.web.figures.pixels import letter_image
from spcviz.web.figures.theme import BOTTOM, SIZE, Chart, figure, mark, points, stroke

BARE = {"visible": False, "fixedrange": True}


def letter(number):
    return chr(ord("a") + int(number))


def spell(problem, labels):
    """Letters of indices into a problem's candidates."""
    return "".join(letter(problem.candidates[i, k]) for i, k in enumerate(labels))


def word_of(problem):
    """The letters that were written."""
    return "".join(map(letter, problem.truth))


def work(pixels, n_candidates, palette, *, scale=1.0, height=430):
    """Steps of both methods by number of letters, D marked, the handwriting above; a logarithmic axis."""
    length, d = len(pixels), np.arange(1, 15)
    k = float(n_candidates)
    traces = []
    for name, steps, role, symbol, dash in (
        ("exhaustive search: K to the power D", k**d, "threshold", "diamond", "dash"),
        ("dynamic programming: about D K²", (d - 1) * k**2 + k, "kept", "circle", "solid"),
    ):
        look = stroke(getattr(palette, role), 2.6 * scale, dash)
        look |= mark([(17 if n == length else 8) * scale for n in d], symbol)
        hover = f"%{{x}} letters: %{{y:,.0f}}<extra>{name}</extra>"
        traces.append(points("lines+markers", d, steps, name, hover) | look)
    axes = {
        "xaxis": {"title": "D: letters of the word (the chosen one is larger)", "dtick": 1},
        "yaxis": {"title": "candidates looked at", "type": "log", "exponentformat": "power", "dtick": 2},
    }
    top, tall = 6.4, 2.8  # heights in letters: of the margin, and of the handwriting in it
    share = tall / (height / (SIZE * scale) - top - BOTTOM)
    above = {"yref": "paper", "sizex": 0.9}
    images = [letter_image(one, palette.text, n, 1.01, share) | above for n, one in enumerate(pixels, 1)]
    return figure(traces, axes, palette, scale=scale, height=height, left=5, top=top, images=images)


def ink(problem, run, palette, *, scale=1.0, height=430):
    """Each letter's image over the scores of its best candidates: ◆ best alone, ● in the best word."""
    length, n_shown = len(problem.pixels), min(6, problem.unary.shape[1])
    traces, axes = [], {}
    for i in range(length):
        start = i / length
        domain = [start + 0.02, start + 1 / length - 0.02]
        image, bars = str(2 * i + 1) if i else "", str(2 * i + 2)
        axes[f"xaxis{image}"] = BARE | {"domain": domain, "anchor": f"y{image}"}
        axes[f"yaxis{image}"] = BARE | {"domain": [0.58, 1], "autorange": "reversed"}
        axes[f"yaxis{image}"] |= {"scaleanchor": f"x{image}", "anchor": f"x{image}"}
        shades = {"colorscale": [[0, palette.surface], [1, palette.text]], "showscale": False}
        trace = {"type": "heatmap", "z": problem.pixels[i], "hoverinfo": "skip"} | shades
        traces.append(trace | {"xaxis": f"x{image}", "yaxis": f"y{image}"})
        order = np.argsort(-problem.unary[i], kind="stable")[:n_shown]
        if run.labels[i] not in order:
            order[-1] = run.labels[i]
        values, alone, joint = problem.unary[i, order], int(run.separate[i]), int(run.labels[i])
        names = [letter(problem.candidates[i, k]) for k in order]
        colours = [palette.kept if k == joint else palette.pruned for k in order.tolist()]
        trace = {"type": "bar", "x": names, "y": values - values.min() + 0.15 * max(np.ptp(values), 1.0)}
        trace |= {"text": ["◆" * (k == alone) + "●" * (k == joint) for k in order.tolist()]}
        trace |= {"customdata": values, "hovertemplate": "%{x}: ink scores %{customdata:.2f}<extra></extra>"}
        trace |= {"textposition": "outside", "cliponaxis": False, "showlegend": False}
        traces.append(trace | {"marker": {"color": colours}, "xaxis": f"x{bars}", "yaxis": f"y{bars}"})
        axes[f"xaxis{bars}"] = {"domain": domain, "anchor": f"y{bars}", "type": "category"}
        axes[f"yaxis{bars}"] = {"domain": [0, 0.47], "anchor": f"x{bars}", "showticklabels": False}
    return figure(traces, axes, palette, scale=scale, height=height, left=1, top=1)


def messages(problem, run, step, palette, *, scale=1.0, height=520):
    """The chain after D - 1 forward, D - 1 backward messages or fewer, then the max-marginals."""
    length, k = problem.unary.shape
    values, lines, title = chain_state(run, length, k, step)
    x, y = np.divmod(np.arange(length * k), k)
    known = np.isfinite(values).ravel()
    text = ["" if not ok else f"{v:.1f}" for ok, v in zip(known, values.ravel())]
    best = np.zeros((length, k), dtype=bool)
    if step >= 2 * length - 1:
        best[np.arange(length), run.labels] = True
    names = [letter(problem.candidates[i, s]) for i, s in zip(x, y)]
    line_x, line_y = [], []
    for a, b in lines:
        line_x += [a[0] + 0.32, b[0] - 0.07, None]  # not through the number beside the letter
        line_y += [-a[1], -b[1], None]
    side = min(34.0 * scale, 0.72 * height / (k + 1))
    states = zip(best.ravel(), known)
    colours = [palette.truth if b else palette.kept if ok else palette.border for b, ok in states]
    symbols = ["diamond" if b else "circle" for b in best.ravel()]
    edge = {"width": 2.2 * scale, "color": colours}
    within = {"size": max(9, 0.55 * side), "color": palette.text}
    beside = {"size": max(9, min(14 * scale, 0.5 * side)), "color": palette.text}
    traces = [
        points("lines", line_x or [None], line_y or [None], "the max that was taken")
        | stroke(palette.threshold, 2.2 * scale),
        points("markers+text", x, -y, title, text=names, textfont=within)
        | mark(side, symbols, color=palette.surface, line=edge),
        points("text", x + 0.11, -y, text=text, textfont=beside, textposition="middle right"),
    ]
    tall = 0.16 * k + 0.3
    images = [letter_image(problem.pixels[i], palette.text, i, 0.7, tall) for i in range(length)]
    axes = {
        "xaxis": {"range": [-0.3, length - 0.45], "dtick": 1, "title": "position", "showgrid": False},
        "yaxis": BARE | {"range": [-k + 0.4, 0.8 + tall]},
    }
    axes["xaxis"] |= {"tickvals": list(range(length)), "ticktext": [str(i + 1) for i in range(length)]}
    return figure(traces, axes, palette, scale=scale, height=height, left=1, top=2.2, images=images)


def chain_state(run, length, k, step):
    """(values (D, K) with NaN where nothing has arrived yet, lines of the latest message, title)."""
    values, lines = np.full((length, k), np.nan), []
    if step >= 2 * length - 1:
        return run.max_marginals, lines, "max-marginal (◇ the best word)"
    if step < length:
        values[0], values[1 : step + 1] = 0.0, np.reshape(run.forward[:step], (-1, k))
        if step:
            chosen = run.forward_choice[step - 1]
            lines = [((step - 1, int(c)), (step, s)) for s, c in enumerate(chosen)]
        return values, lines, "forward message μ into the letter"
    done = step - length + 1
    at = length - 1 - done
    values[length - 1], values[at : length - 1] = 0.0, run.backward[:done][::-1]
    lines = [((at, s), (at + 1, int(c))) for s, c in enumerate(run.backward_choice[done - 1])]
    return values, lines, "backward message into the letter"


PLACES = {  # sets of letters that a table can score together, and the place of its square
    "1": (0.74, 0.62), "2": (1.74, 0.62), "3": (2.74, 0.62), "4": (3.74, 0.62),
    "12": (1.5, 0.0), "23": (2.5, 0.0), "34": (3.5, 0.0),
    "13": (2.0, 1.0), "24": (3.0, 1.0), "14": (2.5, 1.75),
    "123": (2.0, -1.0), "234": (3.0, -1.0), "124": (1.5, -1.75), "134": (3.5, -1.75), "1234": (2.5, -2.4),
}  # fmt: skip


def factor_graph(
    sets: Sequence[str], pixels: np.ndarray, palette: Palette, *, scale: float = 1.0, height: float = 520
) -> Chart:
    """Circles, squares and the edges between them; unused squares are faint and can be clicked too."""
    x, y, colours = [], [], palette.kept
    for name in sets:
        for digit in name:
            x += [PLACES[name][0], int(digit), None]
            y += [PLACES[name][1], 0.0, None]
    opaque = {key: {"marker": {"opacity": 1}} for key in ("selected", "unselected")}
    circle = mark(62 * scale, color=palette.surface, line={"color": palette.text, "width": 2})
    traces = [
        points("lines", x or [None], y or [None]) | stroke(palette.kept, 2.2 * scale),
        points("markers", [1, 2, 3, 4], [0.0] * 4, "a letter: 26 states", "letter %{x}<extra></extra>")
        | (circle | opaque),
    ]
    for is_used, name, ground, edge in (
        (False, "not used (click to add)", palette.background, palette.border),
        (True, "a table (click to remove)", colours, colours),
    ):
        here = [s for s in PLACES if (s in sets) == is_used]
        at = [PLACES[s][0] for s in here] or [None], [PLACES[s][1] for s in here] or [None]
        squares = points("markers+text", *at, name, "%{hovertext}<extra></extra>", text=here)
        squares["customdata"] = [[s] for s in here]
        squares["hovertext"] = [f"letters {', '.join(s)} together: {26 ** len(s):,} numbers" for s in here]
        inside = palette.background if is_used else palette.muted
        squares["textfont"] = {"size": 13 * scale, "color": inside}
        sizes = [(30 + 5 * max(len(s) - 2, 0)) * scale for s in here] or 30
        border = {"color": edge, "width": 2 if is_used else 1.5}
        traces.append(squares | opaque | mark(sizes, "square", color=ground, line=border, opacity=1))
    images = [
        letter_image(np.asarray(pixels[i]), palette.text, i + 1, -0.21, 0.42) | {"layer": "above"}
        for i in range(len(pixels))
    ]
    axes = {"xaxis": BARE | {"range": [0.4, 4.6]}, "yaxis": BARE | {"range": [-2.95, 2.15]}}
    more = {"images": images, "clickmode": "event+select"}
    return figure(traces, axes, palette, scale=scale, height=height, left=0.5, top=2.2, **more)
