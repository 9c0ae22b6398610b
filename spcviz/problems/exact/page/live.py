"""Exact inference on a handwritten word or two that cross: search, dynamic programming, messages, losses.

A letter's score is how well its mean image explains the ink, a pair's score its log frequency, both counted
in the other folds: the home page's small model, counted statistics and nothing else. Each position has K
candidates, the best by ink.

Where two words cross, letters exchange messages only with neighbours in their word, the crossing letter with
those in both. There is no cycle, so messages to any root and back give the exact max-marginals (thesis,
(3.2), (3.3)).
"""

import itertools
import time
from collections.abc import Sequence

import numpy as np
from cachetools.func import lru_cache

from spcviz.engine import checks
from spcviz.engine.chains import chain
from spcviz.engine.errors import ArgumentError
from spcviz.engine.graphs import exhaustive, graph, tree
from spcviz.learning.loss_family import loss_family
from spcviz.problems.exact.shown import (
    Decomposition,
    ExactRun,
    FamilyRun,
    TreeMessage,
    TreeProblem,
    TreeRun,
    WordProblem,
)
from spcviz.problems.letters import handwriting
from spcviz.problems.letters.page import landing

CAP = 3_000_000  # the most configurations that search tries
EPSILONS = np.linspace(1.0, 0.0, 51)

# (word, first letter, letters, which of them crosses), across and down. The last pair is misread.
CROSSWORDS = {
    "qual-bul": ((6266, 2, 4, 1), (5025, 1, 3, 1)),
    "phone-roje": ((3111, 3, 5, 2), (3348, 0, 4, 1)),
    "wab-axi": ((6522, 0, 3, 1), (1433, 0, 3, 0)),
    "phon-roje": ((3053, 3, 4, 2), (3307, 0, 4, 1)),
}


def word_problem(
    word_id: int, start: int, n_letters: int, n_candidates: int, pair_weight: float = 1.0
) -> WordProblem:
    """D letters of a word from `start` (cut to its end) with the K best candidates at each.

    >>> problem = word_problem(0, 0, 4, 3)
    >>> problem.unary.shape, problem.pairwise.shape
    ((4, 3), (3, 3, 3))
    """
    words = handwriting.load_words()
    word_id = checks.integer("word_id", word_id, 0, len(words.lengths) - 1)
    n_candidates = checks.integer("n_candidates", n_candidates, 1, handwriting.N_STATES)
    longest = int(words.lengths[word_id])
    start = min(checks.integer("start", start, 0, 100), longest - 1)
    length = min(checks.integer("n_letters", n_letters, 1, 20), longest - start)
    first = words.starts[word_id] + start
    is_training = np.repeat(words.folds != words.folds[word_id], words.lengths)
    ink = words.pixels[first : first + length].reshape(length, -1)
    unary, pairs = letter_scores(ink, is_training)
    chosen = np.sort(np.argsort(-unary, axis=1, kind="stable")[:, :n_candidates], axis=1)
    near = [pairs[np.ix_(a, b)] for a, b in itertools.pairwise(chosen)]
    shape = (length - 1, n_candidates, n_candidates)
    return WordProblem(
        word_id=word_id,
        pixels=words.pixels[first : first + length],
        truth=words.labels[first : first + length],
        candidates=chosen,
        unary=np.take_along_axis(unary, chosen, axis=1),
        pairwise=float(pair_weight) * np.array(near).reshape(shape),
    )


def letter_scores(ink: np.ndarray, is_training: np.ndarray):
    """(How well letters explain ink (D, 26), log shares of the next letter), counted in training letters."""
    mean, pairs = _count_letters(np.packbits(is_training).tobytes())
    explained = ink @ np.log(mean).T + (1.0 - ink) @ np.log1p(-mean).T
    return landing.PIXEL_WEIGHT * explained, pairs


@lru_cache(32)
def _count_letters(packed_choice):
    """(mean images, pair scores) of some of the data's letters; the choice has a bit for each."""
    words = handwriting.load_words()
    is_training = np.unpackbits(np.frombuffer(packed_choice, np.uint8), count=len(words.labels)).astype(bool)
    packed = np.packbits(words.pixels[is_training].reshape(-1, 128), axis=1)
    follows = is_training[:-1] & is_training[1:]
    follows[words.starts[1:-1] - 1] = False
    pairs = landing.pair_scores(words.labels[:-1][follows], words.labels[1:][follows])
    mean = landing.mean_images(packed, words.labels[is_training])
    for table in (mean, pairs):
        table.flags.writeable = False  # shared
    return mean, pairs


def run_exact(problem: WordProblem, cap: int = CAP) -> ExactRun:
    """Run and time both methods; beyond `cap`, search runs on fewer letters and its time is projected.

    >>> run = run_exact(word_problem(0, 0, 3, 4))
    >>> run.n_visited == 64, abs(run.score_search - run.score) < 1e-9
    (True, True)
    """
    unary, pairwise = problem.unary, problem.pairwise
    length, k = unary.shape
    fits = length
    while fits > 1 and k**fits > cap:
        fits -= 1
    part = exhaustive.chain_graph(unary[:fits], pairwise[: fits - 1])
    exhaustive.search(exhaustive.chain_graph(unary[:1], pairwise[:0]))  # loads the kernel
    seconds, search = _fastest(lambda: exhaustive.search(part, cap=cap))
    whole = exhaustive.chain_graph(unary, pairwise)
    chain.decode(unary, pairwise)
    seconds_dp, best = _fastest(lambda: chain.decode(unary, pairwise))
    forward = exhaustive.eliminate(whole)
    backward = exhaustive.eliminate(whole, range(length - 1, -1, -1))
    is_whole = fits == length
    count = exhaustive.n_configurations(whole.n_states)
    return ExactRun(
        score=float(best.score),
        labels=best.labels,
        separate=unary.argmax(axis=1),
        score_search=search.score if is_whole else np.nan,
        n_configurations=count,
        n_visited=search.n_configurations,
        n_letters_searched=fits,
        seconds_search=seconds,
        seconds_projected=seconds if is_whole else seconds * (count / search.n_configurations),
        n_entries=forward.n_entries,
        seconds_dp=seconds_dp,
        forward=tuple(step.message for step in forward.steps[:-1]),
        forward_choice=tuple(step.choice for step in forward.steps[:-1]),
        backward=tuple(step.message for step in backward.steps[:-1]),
        backward_choice=tuple(step.choice for step in backward.steps[:-1]),
        max_marginals=chain.max_marginals(unary, pairwise, edges=False).unary,
    )


def _fastest(call, n=3, enough=0.005):
    """(seconds, result) of the fastest call; one call of `enough` seconds is long enough alone."""
    times = []
    while len(times) < n and sum(times) < enough:
        began = time.perf_counter()
        result = call()
        times.append(time.perf_counter() - began)
    return min(times), result


def decomposition(n_states: Sequence[int], scopes: Sequence[Sequence[int]]) -> Decomposition:
    """Sizes of tables over 1 .. 7 variables, and entries visited in the best of all elimination orders.

    >>> entries = decomposition([26] * 4, [[0], [1], [2], [3], [0, 1], [1, 2], [2, 3]])
    >>> entries.n_stored, entries.n_configurations, entries.n_explored
    (2132, 456976, 2054)
    """
    checks.integer("number of variables", len(n_states), 1, 7)
    sizes = tuple(exhaustive.stored_entries(n_states, [scope]) for scope in scopes)
    count = exhaustive.n_configurations(n_states)
    searches = (
        _explore_elimination(n_states, scopes, order)
        for order in itertools.permutations(range(len(n_states)))
    )
    return Decomposition(sizes, sum(sizes), count, *min(searches, key=lambda search: search[0]))


def _explore_elimination(n_states, scopes, order):
    """(entries that elimination visits, order, variables of its largest step), without making any table."""
    pool, entries, widest = [set(scope) for scope in scopes], 0, ()
    for variable in order:
        together = {variable}.union(*(scope for scope in pool if variable in scope))
        pool = [scope for scope in pool if variable not in scope] + [together - {variable}]
        size = exhaustive.stored_entries(n_states, [sorted(together)])
        entries += size
        if not widest or size > exhaustive.stored_entries(n_states, [widest]):
            widest = tuple(sorted(together))
    return entries, order, widest


def run_family(problem: WordProblem) -> FamilyRun:
    """A word's losses (all 26 letters) at every epsilon, where a wrong letter costs 0, 1, or 1 - epsilon.

    From the CRF's log loss to the SVM's hinge (lecture, equation 1). The lecture's CRF has no cost L, its SVM
    has one. To lead from one to the other with a single control, this project adds a curve on which a wrong
    letter costs 1 - epsilon.

    >>> run = run_family(word_problem(6320, 2, 4, 26))
    >>> run.value[:, [0, -1]].round(2).tolist()  # log-loss, perceptron; softmax-margin, hinge; the path
    [[0.45, 0.0], [1.68, 0.0], [0.45, 0.0]]
    """
    n = problem.unary.shape[1]
    if n != 26:
        raise ArgumentError(f"candidates has shape {problem.candidates.shape}; a loss needs all 26 letters")
    given = problem.unary, problem.pairwise, problem.truth
    path = [loss_family(*given, [epsilon], cost=1.0 - epsilon) for epsilon in EPSILONS]
    losses = [[loss_family(*given, EPSILONS, cost=cost)] for cost in (0.0, 1.0)] + [path]
    value, weights, n_readings = (
        np.stack([np.concatenate([getattr(one, name) for one in parts]) for parts in losses])
        for name in ("value", "weights", "n_readings")
    )
    return FamilyRun(EPSILONS, value, weights, n_readings)


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
