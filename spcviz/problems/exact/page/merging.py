"""Charts and sentences of agglomeration: n-grams above, the merged chain below (thesis Fig. 3.2, 3.3)."""

import numpy as np

from spcviz.problems.exact.page.charts import BARE, letter, spell, word_of
from spcviz.problems.exact.page.text import HELP
from spcviz.problems.exact.shown import MergedRun, WordProblem
from spcviz.web.figures.numbers import count, name_rows
from spcviz.web.figures.palette import Palette
from spcviz.web.figures.pixels import letter_image
from spcviz.web.figures.theme import Chart, figure, mark, points, stroke

# Pixels above the first merged state at scale 1: names, squares, circles, the letters' feet and heads.
_NAMES, _SQUARES, _CIRCLES, _FEET, _HEADS = 22, 50, 84, 103, 138


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
    """The same for the sentences of a tour, by name."""
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
