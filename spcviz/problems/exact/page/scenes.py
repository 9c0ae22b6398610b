"""Numbers of the Exact inference page: behind `spcviz.scenes`.

Modules that compute are imported when a function is called. At the end are the lines of Python that the Save
menu offers.
"""

from collections.abc import Mapping
from typing import TYPE_CHECKING

from spcviz.shared.folders import NEEDS

if TYPE_CHECKING:
    from spcviz.problems.exact.shown import WordProblem


def exact_inference(
    word: int = 0, *, start: int = 0, letters: int = 4, candidates: int = 3, weight: float = 1.0
) -> "WordProblem":
    """Some letters of a handwritten word as a chain, with the best candidates at each.

    Parameters
    ----------
    word : int
        Number of the word in the data.
    start : int
        The first letter, from 0.
    letters : int
        Number of letters, D; cut to the end of the word.
    candidates : int
        How many letters are on offer at each position, K, 1 to 26.
    weight : float
        Weight of pairs of letters.

    Returns
    -------
    WordProblem
        ``candidates`` (D, K), numbers of letters; ``unary`` (D, K) and ``pairwise`` (D - 1, K, K), scores.

    Raises
    ------
    ArgumentError
        For an invalid argument.
    NoCacheError
        If a clone's handwritten words are missing.
    """
    from spcviz.problems.exact.page import live

    return live.word_problem(word, start, letters, candidates, weight)


_LINES = """# Exact inference: every reading of a word tried, and dynamic programming.
{needs}
from spcviz import scenes
from spcviz.engine import chain, exhaustive

how = {{"start": {start}, "letters": {letters}, "candidates": {candidates}, "weight": {weight}}}
problem = scenes.exact_inference({word}, **how)
best = chain.decode(problem.unary, problem.pairwise)
graph = exhaustive.chain_graph(problem.unary, problem.pairwise)
readings = exhaustive.n_configurations(graph.n_states)
letters = "abcdefghijklmnopqrstuvwxyz"
word = "".join(letters[problem.candidates[i, k]] for i, k in enumerate(best.labels))
print("dynamic programming reads", word, "with score", float(best.score), "among", readings, "readings")
if readings <= 500_000:
    search = exhaustive.search(graph)
    print("exhaustive search tried", search.n_configurations, "and found score", search.score)
"""


def exact_inference_lines(state: Mapping, start: int) -> str:
    """The lines for a state that shows a word, else ""; `start` is the word's first letter in use."""
    if state["show"] not in ("search", "ink"):
        return ""
    names = ("word", "letters", "candidates", "weight")
    return _LINES.format(needs=NEEDS, start=start, **{name: state[name] for name in names})
