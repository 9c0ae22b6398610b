"""The Python of the page Exact inference: lines that compute what is shown."""

from collections.abc import Mapping

from spcviz.shared.folders import NEEDS

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


def lines(state: Mapping, start: int) -> str:
    """The lines for a state that shows a word, else none; `start` is the first letter taken of it."""
    if state["show"] not in ("search", "ink"):
        return ""
    names = ("word", "letters", "candidates", "weight")
    return _LINES.format(needs=NEEDS, start=start, **{name: state[name] for name in names})
