"""Two handwritten words that cross at a letter, as a tree, and the messages along it.

Letters exchange messages only with neighbours in their word, the crossing letter with those in both. There is
no cycle, so messages to any root and back give the exact max-marginals (thesis, (3.2), (3.3)). Scores are
those of `exact.page.live`.
"""

import itertools

import numpy as np

from spcviz.engine import checks
from spcviz.engine.errors import ArgumentError
from spcviz.engine.graphs import exhaustive, graph, tree
from spcviz.problems.exact.page.live import letter_scores, run_exact, word_problem
from spcviz.problems.exact.shown import TreeMessage, TreeProblem, TreeRun
from spcviz.problems.letters.data import handwriting

# (word, first letter, letters, which of them crosses), across and down. The last pair is misread.
CROSSWORDS = {
    "qual-bul": ((6266, 2, 4, 1), (5025, 1, 3, 1)),
    "phone-roje": ((3111, 3, 5, 2), (3348, 0, 4, 1)),
    "wab-axi": ((6522, 0, 3, 1), (1433, 0, 3, 0)),
    "phon-roje": ((3053, 3, 4, 2), (3307, 0, 4, 1)),
}


def crossword(name: str, n_candidates: int = 4, pair_weight: float = 1.0) -> TreeProblem:
    """One of `CROSSWORDS` as a tree of the K best letters by ink; the crossing has the first word's ink.

    >>> puzzle = crossword("wab-axi", 3)
    >>> puzzle.names, puzzle.edges.tolist()
    (('across 1', 'crossing', 'across 3', 'down 2', 'down 3'), [[0, 1], [1, 2], [1, 3], [3, 4]])
    """
    if name not in CROSSWORDS:
        raise ArgumentError(f"name must be one of {', '.join(CROSSWORDS)}, got {name!r}")
    k = checks.integer("n_candidates", n_candidates, 1, handwriting.N_STATES)
    words = handwriting.load_words()
    across, down = CROSSWORDS[name]
    letters, places, names, lines = [], [], [], []
    for (word, first, length, crossing), line, title in ((across, 1, "across"), (down, -1, "down")):
        nodes = []
        for i in range(length):
            name = "crossing" if i == crossing else f"{title} {i + 1}"
            if name not in names:
                names.append(name)
                letters.append(int(words.starts[word]) + first + i)
                places.append((i - crossing, 0 if i == crossing else line))
            nodes.append(names.index(name))
        lines.append(nodes)
    edges = np.array([pair for nodes in lines for pair in itertools.pairwise(nodes)])
    folds = {int(words.folds[word]) for word, *_ in (across, down)}
    is_training = np.repeat(~np.isin(words.folds, list(folds)), words.lengths)
    pixels = words.pixels[letters]
    unary, pairs = letter_scores(pixels.reshape(len(letters), -1), is_training)
    chosen = np.sort(np.argsort(-unary, axis=1, kind="stable")[:, :k], axis=1)
    near = [pairs[np.ix_(chosen[a], chosen[b])] for a, b in edges]
    return TreeProblem(
        names=tuple(names),
        place=np.array(places),
        pixels=pixels.reshape(-1, 16, 8),
        truth=words.labels[letters],
        candidates=chosen,
        unary=np.take_along_axis(unary, chosen, axis=1),
        edges=edges,
        pairwise=float(pair_weight) * np.array(near),
    )


def run_tree(problem: TreeProblem, root: int = 0) -> TreeRun:
    """Every message of a tree, to the root and back; `CycleError` if the edges do not form a tree.

    >>> run = run_tree(crossword("wab-axi", 3), 1)
    >>> [(m.source, m.target) for m in run.messages]
    [(4, 3), (3, 1), (2, 1), (0, 1), (1, 0), (1, 2), (1, 3), (3, 4)]
    """
    n, k = problem.unary.shape
    rooted = graph.root_forest(n, problem.edges, checks.integer("root", root, 0, n - 1))
    scopes = [(i,) for i in range(n)] + [tuple(edge) for edge in problem.edges.tolist()]
    factors = exhaustive.factor_graph((k,) * n, scopes, [*problem.unary, *problem.pairwise])
    parent = rooted.parent
    up = [(v, int(parent[v])) for v in reversed(rooted.order.tolist()) if parent[v] >= 0]
    down = [(int(parent[v]), v) for v in rooted.order.tolist() if parent[v] >= 0]
    towards = {target: _towards(factors, problem.edges, target) for target in range(n)}
    messages = []
    for source, target in (*up, *down):
        step = towards[target][0][source]
        messages.append(TreeMessage(source, target, step.message, step.choice))
    best = tree.decode(problem.unary, problem.edges, problem.pairwise)
    return TreeRun(
        root=root,
        messages=tuple(messages),
        max_marginals=tree.node_max_marginals(problem.unary, problem.edges, problem.pairwise)[1],
        score=float(best.score),
        labels=best.labels,
        separate=problem.unary.argmax(axis=1),
        n_entries=towards[root][1],
    )


def _towards(factors, edges, target):
    """(elimination step of every variable, sums compared) when all messages go to `target`."""
    order = graph.root_forest(len(factors.n_states), edges, target).order[::-1].tolist()
    message = exhaustive.eliminate(factors, order)
    return {step.variable: step for step in message.steps}, message.n_entries


def warmup(_models):
    """Compile, or load from the disk cache, every kernel that the page calls."""
    run_exact(word_problem(0, 0, 2, 2))
    run_tree(crossword("wab-axi", 2))
