"""What the Exact inference page says of merged letters."""

import numpy as np

from spcviz.problems.exact.page.charts import spell, written
from spcviz.problems.exact.page.text import HELP
from spcviz.web.figures.numbers import count, named


def sizes(problem, run):
    """Label, value, note, help of the counters beside the merged chain."""
    k, n = problem.unary.shape[1], run.order
    return [
        ("Merged states", f"{k ** (n - 1):,}", f"{k} to the power {n - 1}", HELP["merged_states"]),
        ("Transitions that agree", f"{k**n:,}", f"of {k ** (2 * n - 2):,}", HELP["agree"]),
        ("With 26 letters", f"{26**n:,}", f"of {count(26 ** (2 * n - 2))}", HELP["merged_full"]),
    ]


def facts(problem, run):
    """The same for the sentences of a tour, by name."""
    names = {"Merged states": "states", "Transitions that agree": "transitions"}
    return named(sizes(problem, run), names) | {"n": str(run.order), "word": spell(problem, run.labels)}


def merged(problem, run):
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
    sentence += f"Best path: “**{word}**” (written: “{written(problem)}”), score {run.score:.2f}"
    if np.isfinite(run.score_search):
        same = "the same" if abs(run.score - run.score_search) < 1e-9 else "another (a bug!)"
        return f"{sentence}, {same} as the best of all {run.n_readings:,} readings, tried one by one."
    return sentence + f". (All {run.n_readings:,} readings are too many to try here.)"
