"""Charts of n-grams merged into a chain (thesis Fig. 3.2, 3.3), in words too, and of words that cross."""

import numpy as np

from spcviz.problems.exact.page.charts import BARE, letter, spell, word_of
from spcviz.problems.exact.page.text import HELP
from spcviz.problems.exact.shown import MergedRun, TreeProblem, TreeRun, WordProblem
from spcviz.web.figures.formatting import count, name_rows
from spcviz.web.figures.palette import Palette
from spcviz.web.figures.pixels import letter_image
from spcviz.web.figures.theme import Chart, figure, mark, points, stroke

# Pixels above the first merged state at scale 1: names, squares, circles, the letters' feet and heads.
_NAMES, _SQUARES, _CIRCLES, _FEET, _HEADS = 22, 50, 84, 103, 138

_GAP, _IMAGE = 2.9, 1.9  # rows between the words' bands of letters; height of a letter's image in rows
_WIDE = 1060  # width of a chart in pixels, not projected


def name(problem, run, j, s):
    """The letters of state s of merged variable j."""
    return "".join(letter(problem.candidates[j + i, k]) for i, k in enumerate(run.states[s]))


def draw_merged(
    problem: WordProblem, run: MergedRun, palette: Palette, *, scale: float = 1.0, height: float = 500
) -> Chart:
    """The n-gram model above, its merged chain below, the first transition at the right; few states."""
    length, n, n_states = len(problem.unary), run.order, len(run.states)
    unit = (height - 6 * 14 * scale - _HEADS * scale) / (n_states + 0.2)  # pixels a row

    def rows(pixels):
        return pixels * scale / unit

    images = [
        letter_image(problem.pixels[i], palette.text, i, rows(_FEET), rows(_HEADS - _FEET))
        for i in range(length)
    ]
    traces = _factors(length, n, palette, scale, (rows(_CIRCLES), rows(_SQUARES)))
    traces += _lattice(problem, run, palette, scale, unit)
    traces.append(_table(problem, run, palette))
    ticks = [[name(problem, run, j, s) for s in range(n_states)] for j in (0, 1)]
    table = {"tickvals": list(range(n_states)), "showgrid": False, "ticks": "", "fixedrange": True}
    down = {"domain": [0, 0.84], "autorange": "reversed"}
    axes = {
        "xaxis": BARE | {"range": [-0.45, length - 0.55], "domain": [0, 0.62]},
        "yaxis": BARE | {"range": [-n_states + 0.4, rows(_HEADS)]},
        "xaxis2": table | {"ticktext": ticks[1], "domain": [0.7, 1], "anchor": "y2"},
        "yaxis2": table | {"ticktext": ticks[0], "anchor": "x2"} | down,
    }
    notes = _names(run, rows(_NAMES), palette, scale)
    more = {"notes": notes, "images": images}
    return figure(traces, axes, palette, scale=scale, height=height, left=0.5, top=2.4, **more)


def _names(run, y, palette, scale):
    small = {"size": round(14 * scale), "color": palette.muted}
    middle = (run.order - 2) / 2  # a merged variable is drawn under the middle of its letters
    notes = [
        {"x": j + middle, "y": y, "font": small}
        | {"text": "".join(f"y<sub>{j + i + 1}</sub>" for i in range(run.order - 1))}
        for j in range(len(run.unary))
    ]
    above = {"x": 0.5, "y": 1.0, "xref": "x2 domain", "yref": "y2 domain", "yanchor": "bottom"}
    legend = "from the first (left) to the next (below)<br>stronger: higher score, blank: −∞"
    return [*notes, above | {"yshift": 6 * scale, "text": legend}]


def _factors(length, n, palette, scale, heights):
    """Circles for letters, squares for n-grams, and the edges between them."""
    circles, squares = heights
    x, y = [], []
    for j in range(length - n + 1):
        for i in range(j, j + n):
            x += [j + (n - 1) / 2, i, None]
            y += [squares, circles, None]
    names = [f"y<sub>{i + 1}</sub>" for i in range(length)]
    letters = points("markers+text", list(range(length)), [circles] * length, text=names)
    letters |= mark(28 * scale, color=palette.surface, line={"color": palette.text, "width": 2})
    middles = [j + (n - 1) / 2 for j in range(length - n + 1)]
    tables = points("markers", middles, [squares] * len(middles), f"a table over {n} letters")
    return [
        points("lines", x, y) | stroke(palette.kept, 2 * scale),
        letters | {"textfont": {"size": 14 * scale, "color": palette.text}},
        tables | mark(15 * scale, "square", color=palette.kept),
    ]


def _lattice(problem, run, palette, scale, unit):
    """Merged states as words, thin lines where neighbours agree, a thick one along the best path."""
    n_merged, n_states = run.unary.shape
    middle = (run.order - 2) / 2
    x, y = [], []
    for j, step in enumerate(np.isfinite(run.pairwise)):
        for a, b in np.argwhere(step).tolist():
            x += [j + middle, j + 1 + middle, None]
            y += [-a, -b, None]
    column, state = np.divmod(np.arange(n_merged * n_states), n_states)
    is_best = run.path[column] == state
    side = min(17 * scale, 0.75 * unit)
    ground = mark((0.55 * run.order + 0.3) * side, "square", color=palette.background)
    names = [name(problem, run, j, s) for j, s in zip(column, state)]
    font = {"size": side, "color": [palette.truth if b else palette.text for b in is_best]}
    best = np.arange(n_merged) + middle, -run.path
    return [
        points("lines", x, y, "they agree") | stroke(palette.border, 1.3 * scale),
        points("lines", *best, "the best path") | stroke(palette.truth, 4 * scale),
        points("markers", column + middle, -state) | ground,
        points("text", column + middle, -state, text=names, textfont=font),
    ]


def _table(problem, run, palette):
    """Heat map of the first transition; -inf is left blank."""
    scores = np.where(np.isfinite(run.pairwise[0]), run.pairwise[0], np.nan)
    first, second = ([name(problem, run, j, s) for s in range(len(scores))] for j in (0, 1))
    names = [[f"{a} → {b}" for b in second] for a in first]
    look = {"colorscale": [[0, palette.border], [1, palette.kept]], "showscale": False, "xgap": 1, "ygap": 1}
    hover = {"text": names, "hovertemplate": "%{text}: %{z:.2f}<extra></extra>", "hoverongaps": False}
    return {"type": "heatmap", "z": scores, "xaxis": "x2", "yaxis": "y2"} | look | hover


def sizes(problem, run):
    """Label, value, note, help of the counters next to the merged chain."""
    k, n = problem.unary.shape[1], run.order
    return [
        ("Merged states", f"{k ** (n - 1):,}", f"{k} to the power {n - 1}", HELP["merged_states"]),
        ("Transitions that agree", f"{k**n:,}", f"of {k ** (2 * n - 2):,}", HELP["agree"]),
        ("With 26 letters", f"{26**n:,}", f"of {count(26 ** (2 * n - 2))}", HELP["merged_full"]),
    ]


def facts(problem, run):
    """The counters next to the merged chain for the sentences of a tour, by name."""
    names = {"Merged states": "states", "Transitions that agree": "transitions"}
    return name_rows(sizes(problem, run), names) | {"n": str(run.order), "word": spell(problem, run.labels)}


def describe_chain(problem, run):
    """Agglomeration in words: why, what the -inf is for, and that nothing is lost."""
    n, word = run.order, spell(problem, run.labels)
    if n == 2:
        sentence = "Tables over **2** letters form no loop: a merged letter is a letter, and nothing is −∞. "
    else:
        shared = "the letter" if n == 3 else f"the {n - 2} letters"
        sentence = (
            f"Tables over **{n}** letters overlap and close **loops** (above). Merging {n - 1} neighbours "
            f"into one leaves a chain (below). Where two of these disagree about {shared} they share, the "
            "score is **−∞**. "
        )
    sentence += f"Best path: “**{word}**” (written: “{word_of(problem)}”), score {run.score:.2f}"
    if np.isfinite(run.score_search):
        same = "the same" if abs(run.score - run.score_search) < 1e-9 else "another (a bug!)"
        return f"{sentence}, {same} as the best of all {run.n_readings:,} readings, tried one by one."
    return sentence + f". (All {run.n_readings:,} readings are too many to try here.)"


def beliefs(problem, run, step):
    """Ink plus the messages that have arrived, (N, K); after all 2 (N - 1), the max-marginals."""
    values = problem.unary.copy()
    for message in run.messages[:step]:
        values[message.target] += message.values
    return values


def waiting_for(problem, run, step):
    """How many messages each node still lacks, shape (N,)."""
    lacks = np.bincount(problem.edges.ravel(), minlength=len(problem.names))
    for message in run.messages[:step]:
        lacks[message.target] -= 1
    return lacks


def crossing_messages(
    problem: TreeProblem,
    run: TreeRun,
    step: int,
    palette: Palette,
    *,
    scale: float = 1.0,
    height: float = 520,
) -> Chart:
    """The tree after 0 .. 2 N - 1 steps: numbers, a line for every max taken, finally the best word."""
    n, k = problem.unary.shape
    values, lacks = beliefs(problem, run, step), waiting_for(problem, run, step)
    is_end = step > len(run.messages)
    column, line = problem.place.T
    middle = line * (k + _GAP) / 2
    rows = middle[:, None] + (k - 1) / 2 - np.arange(k)  # (N, K)
    x, y = np.repeat(column, k), rows.ravel()
    is_best = np.zeros((n, k), dtype=bool)
    is_best[np.arange(n), run.labels] = is_end
    unit = (height - 3 * 14 * scale) / (2 * k + _GAP + _IMAGE + 1.4)
    side = min(34.0 * scale, 0.92 * unit)
    # lines end next to a circle and its number: pixels in units of the x axis
    pixels = _WIDE * scale / (np.ptp(column) + 0.85)
    before, after = (0.5 * side + 4) / pixels, (0.5 * side + 54 * scale) / pixels
    now = run.messages[step - 1] if 0 < step <= len(run.messages) else None
    line_x, line_y = [], []
    if now is not None:
        forth = column[now.target] > column[now.source]
        ends = (after, -before) if forth else (-before, after)
        for s, c in enumerate(now.choice):
            line_x += [column[now.source] + ends[0], column[now.target] + ends[1], None]
            line_y += [rows[now.source, c], rows[now.target, s], None]
    colours = [
        palette.truth if best else palette.kept if lacks[i] <= 0 else palette.border
        for i, best in zip(np.repeat(np.arange(n), k), is_best.ravel())
    ]
    arrived = {"color": palette.kept, "width": 2.4}
    traces = [
        points("markers", [None], [None], "all messages have arrived")
        | mark(12 * scale, color=palette.surface, line=arrived),
        points("lines", line_x or [None], line_y or [None], "the max that is taken")
        | stroke(palette.threshold, 2.4 * scale),
        *_letters(problem, values, (x, y), is_best, colours, side, palette, scale),
    ]
    tops = rows[:, 0]
    note = {"xanchor": "left", "font": {"size": 14 * scale, "color": palette.accent}}
    images, notes = [], []
    for i, (at, top) in enumerate(zip(column.tolist(), tops)):
        images.append(letter_image(problem.pixels[i], palette.text, at, top + 0.55, _IMAGE - 0.3))
        text = "<b>root</b>" if i == run.root else ""
        notes.append(note | {"x": at + 0.13, "y": top + 0.5 + _IMAGE / 2, "text": text})
    shapes = _links(problem, column, middle, palette, scale)
    ends = [column.min() - 0.3, column.max() + 0.55], [rows.min() - 0.7, rows.max() + _IMAGE + 0.6]
    axes = {f"{name}axis": BARE | {"range": limits} for name, limits in zip("xy", ends)}
    more = {"images": images, "notes": notes, "shapes": shapes}
    return figure(traces, axes, palette, scale=scale, height=height, left=0.5, top=2.2, **more)


def _letters(problem, values, at, is_best, colours, side, palette, scale):
    """Candidates in their circles, each with its number next to it."""
    symbols = ["diamond" if best else "circle" for best in is_best.ravel()]
    edge = {"width": 2.4 * scale, "color": colours}
    hover = "%{text}: ink %{customdata[0]:.2f}, with messages %{customdata[1]:.2f}<extra></extra>"
    circles = points("markers+text", *at, None, hover)
    circles["text"] = [letter(c) for c in problem.candidates.ravel()]
    circles["textfont"] = {"size": 0.72 * side, "color": palette.text}
    circles["customdata"] = np.stack([problem.unary.ravel(), values.ravel()], axis=1)
    numbers = points("markers+text", *at, text=[f"&nbsp;{v:.1f}" for v in values.ravel()])
    numbers["textfont"] = {"size": min(17 * scale, 0.72 * side), "color": palette.text}
    numbers["textposition"] = "middle right"  # of a circle that is not drawn
    return circles | mark(side, symbols, color=palette.surface, line=edge), numbers | mark(side, opacity=0)


def _links(problem, column, middle, palette, scale):
    """Edges between neighbouring letters: thin dotted lines behind everything."""
    style = {"color": palette.border, "width": 1.5 * scale, "dash": "dot"}
    return [
        {"type": "line", "layer": "below", "line": style}
        | {"x0": int(column[a]), "x1": int(column[b]), "y0": float(middle[a]), "y1": float(middle[b])}
        for a, b in problem.edges
    ]
