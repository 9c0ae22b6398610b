"""Scores in any unit, with soft masks: exact functions against enumeration in whole numbers.

The comparison covers the range of floats: largest scores of 1e-300 to 1e300, masks of -1e9 to -1e300.
`scaled` multiplies by powers of two, which rounds nothing, so results must be the same to the last bit.
"""

import itertools

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from spcviz.engine.chains import batch, chain, quiescent
from spcviz.engine.chains.prepared import Transitions
from spcviz.engine.dependency import arborescence, projective
from spcviz.engine.errors import ArgumentError, InfeasibleError
from spcviz.engine.graphs import exhaustive, loopy_bp, tree
from spcviz.engine.ngrams import lattice, prune, space
from tests.oracles import trees_of_words as oracle
from tests.robust.arguments import function_of, valid
from tests.strategies import cases

ONE = 10**9  # ratio of a score to the error that is allowed


def wild(rng, shape):
    """Scores at one scale, or each at its own, with soft masks and forbidden entries."""
    scores = rng.normal(size=shape) if rng.random() < 0.6 else rng.integers(-2, 3, shape) * 1.0
    kind = rng.integers(3)
    scale = 10.0 ** rng.integers(-300, 300, shape if kind == 0 else ())
    scores = np.clip(scores * (scale if kind < 2 else rng.choice([1.0, 1e-300, 1e-18, 1e18])), -1e300, 1e300)
    if rng.random() < 0.7:
        mask = -(10.0 ** rng.integers(9, 301)) * rng.choice([1.0, 0.5])
        scores = np.where(rng.random(shape) < rng.choice([0.1, 0.3, 0.6]), mask, scores)
    share = rng.choice([0.0, 0.0, 0.2])
    return np.where(rng.random(shape) < share, -np.inf, scores)


def is_near(number, wanted, size):
    """Whether two whole numbers, or a float and one, differ by at most 1e-9 times a third."""
    number = oracle.whole([[number]])[0][0] if isinstance(number, float) else number
    return ONE * abs(number - wanted) <= size


# Dependency trees


def check_words(seed):
    """The best tree, best trees through and without arcs; returns 1."""
    rng = np.random.default_rng(seed)
    n, single_root = int(rng.integers(1, 5)), bool(rng.random() < 0.6)
    scores = wild(rng, (n + 1, n + 1))
    if rng.random() < 0.2:
        scores[:, 0] = -(10.0 ** rng.integers(9, 301))
    table = oracle.whole(scores)
    trees = dict(oracle.exact_scores(table, single_root=single_root))
    if not trees:
        with pytest.raises(InfeasibleError, match="no dependency tree"):
            arborescence.decode(scores, single_root=single_root)
        return 1
    decoded = arborescence.decode(scores, single_root=single_root)
    heads, best = tuple(decoded.heads.tolist()), max(trees.values())
    finest = min((size for size in _sizes(table, heads) if size), default=0)
    assert heads in trees
    assert is_near(trees[heads], best, finest), f"{heads} is not the best tree"
    assert is_near(decoded.score, best, max(_sizes(table, heads)))
    _check_arcs(scores, table, trees, heads, single_root)
    crossless = dict(oracle.exact_scores(table, single_root=single_root, projective=True))
    if crossless:
        heads = tuple(projective.decode(scores, single_root=single_root).heads.tolist())
        best = max(crossless, key=crossless.get)
        size = max(*_sizes(table, heads), *_sizes(table, best))
        assert is_near(crossless[heads], crossless[best], size), f"{heads} is not the best projective tree"
    return 1


def _sizes(table, heads):
    return [abs(table[d][h]) for d, h in enumerate(heads, 1)]


def _check_arcs(scores, table, trees, heads, single_root):
    through = arborescence.max_marginals(scores, single_root=single_root)
    without = arborescence.without_arcs(scores, single_root=single_root)
    wanted = {}
    for tree_, score in trees.items():
        for arc in enumerate(tree_, 1):
            wanted[arc] = max(wanted.get(arc, (score, tree_)), (score, tree_))
    for d, h in itertools.product(range(1, len(scores)), range(len(scores))):
        assert (through[d, h] > -np.inf) == ((d, h) in wanted)
        if (d, h) in wanted:
            score, best = wanted[d, h]
            assert is_near(float(through[d, h]), score, max(_sizes(table, best))), f"through {d, h}"
    for d, h in enumerate(heads, 1):
        others = [wanted[d, o] for o in range(len(scores)) if o != h and (d, o) in wanted]
        assert (without.heads[d - 1] < 0) == (not others)
        if others:
            score, best = max(others)
            assert is_near(float(without.scores[d - 1]), score, max(_sizes(table, best))), f"without {d, h}"


def test_dependency_trees_are_exact():
    for seed in range(cases(20_000, 150)):
        check_words(seed)


def test_one_root_beside_soft_masks():
    """Rounding away the price of a root arc gave 1.0 in place of 3.0, see `decode_into`."""
    scores = np.array([[0, 0, 0, 0], [1, 0, 0, 0], [3, 0, 0, 0], [2, 0, -1e17, 0]])
    decoded = arborescence.decode(scores, single_root=True)
    assert (decoded.score, decoded.heads.tolist()) == (3.0, [2, 0, 1])
    assert arborescence.max_marginals(scores, single_root=True).max() == 3.0
    tiny = np.where(scores == -1e17, -np.inf, scores * 1e-18)
    assert arborescence.decode(tiny, single_root=True).heads.tolist() == [2, 0, 1]
    # All ways in are masked: their difference is lost next to the mask, unless numbers are whole.
    for mask in (-1e9, -1e20, -1e300):
        scores = np.array([[0, 0, 0], [mask, 0, 1.0], [mask, 1.0 + 1e-9, 0]])
        assert arborescence.decode(scores).heads.tolist() == [0, 1]
        # A huge arc that no tree can take, for word 1 is the only way in.
        scores = np.array([[0, 0, 0, 0], [0, 0, -mask, 1e-3], [-np.inf, 1, 0, 0], [1, 2e-3, -np.inf, 0]])
        scores[1, 0] = 1.5e-3
        wanted = oracle.best(scores, single_root=False)
        assert arborescence.decode(scores).score == wanted


# Chains, forests, lattices, small graphs: one enumeration serves them all


def _chain(rng):
    length, n = int(rng.integers(1, 5)), int(rng.integers(1, 4))
    scores = wild(rng, length * n + n * n)
    scores = np.where(scores > -np.inf, scores.clip(-3e299, 3e299), scores)  # an arc adds up three of them
    return scores[: length * n].reshape(length, n), scores[length * n :].reshape(n, n)


def _all_labellings(unary, pairwise):
    """{labels: (score, largest magnitude of a part)} in whole numbers."""
    whole, steps, out = oracle.whole(unary), oracle.whole(pairwise), {}
    for labels in itertools.product(range(unary.shape[1]), repeat=len(unary)):
        parts = [whole[i][k] for i, k in enumerate(labels)]
        parts += [steps[j][k] for j, k in itertools.pairwise(labels)]
        if None not in parts:
            out[labels] = sum(parts), max(map(abs, parts))
    return out


def _decoders(unary, pairwise):
    """{name: labels} of every exact decoder of a chain."""
    length, n = unary.shape
    edges = np.array([[i, i + 1] for i in range(length - 1)], dtype=int).reshape(-1, 2)
    graph = exhaustive.chain_graph(unary, pairwise)
    words = space.bigrams([length], n, np.ones((length, n), dtype=bool))
    return {
        "chain": chain.decode(unary, pairwise).labels,
        "k best": chain.k_best(unary, pairwise, 3).labels[0],
        "transitions": Transitions(pairwise).decode(unary).labels,
        "tree": tree.decode(unary, edges, pairwise).labels,
        "search": exhaustive.search(graph, 1000).labels,
        "eliminate": exhaustive.eliminate(graph).labels,
        "lattice": lattice.decode(words, _arc_scores(words, unary, pairwise)).labels,
    }


def _arc_scores(words, unary, pairwise):
    if len(unary) == 1:
        return unary[0].copy()
    steps = pairwise[None] + unary[1:, None, :]
    steps[0] += unary[0][:, None]
    return steps.reshape(-1)


def check_chain(seed):
    """Labels and max-marginals of one chain in every module that computes them; returns 1."""
    rng = np.random.default_rng(seed)
    unary, pairwise = _chain(rng)
    known = _all_labellings(unary, pairwise)
    if not known:
        with pytest.raises(InfeasibleError):
            chain.decode(unary, pairwise)
        return 1
    best, size = max(known.values())
    for name, labels in _decoders(unary, pairwise).items():
        score, magnitude = known.get(tuple(labels.tolist()), (None, 0))
        assert score is not None, f"{name} takes what is forbidden"
        assert is_near(score, best, max(size, magnitude)), name
    _check_maxima(unary, pairwise, known)
    return 1


def _check_maxima(unary, pairwise, known):
    length, n = unary.shape
    edges = np.array([[i, i + 1] for i in range(length - 1)], dtype=int).reshape(-1, 2)
    quiet = quiescent.quiet_messages(unary, pairwise)
    tables = {
        "chain": chain.max_marginals(unary, pairwise).unary,
        "transitions": Transitions(pairwise).max_marginals(unary).unary,
        "tree": tree.max_marginals(unary, edges, pairwise).unary,
        "nodes": tree.node_max_marginals(unary, edges, pairwise)[1],
        "quiet": quiet.forward + quiet.backward,
    }
    for i, k in itertools.product(range(length), range(n)):
        through = [value for labels, value in known.items() if labels[i] == k]
        score, size = max(through, default=(None, 0))
        # Of two labellings that differ by less than rounding, either may be the one that was added up.
        size = max([size, *(magnitude for value, magnitude in through if is_near(value, score, magnitude))])
        for name, table in tables.items():
            assert (table[i, k] > -np.inf) == (score is not None), name
            assert score is None or is_near(float(table[i, k]), score, size), f"{name} at {i, k}"


def test_chains_and_what_holds_chains_are_exact():
    for seed in range(cases(4_000, 60)):
        check_chain(seed)


# Probabilities


def check_rows(seed):
    """Rows of probabilities add up to 1 and pairs to their nodes, at any scale; returns 1."""
    rng = np.random.default_rng(seed)
    unary, pairwise = _chain(rng)
    edges = np.array([[i, i + 1] for i in range(len(unary) - 1)], dtype=int).reshape(-1, 2)
    words = space.bigrams([len(unary)], unary.shape[1], np.ones(unary.shape, dtype=bool))
    scores = _arc_scores(words, unary, pairwise)
    try:
        both = [chain.marginals(unary, pairwise), tree.marginals(unary, edges, pairwise)]
    except InfeasibleError:
        return 1
    for marginals in both:
        _adds_up(marginals.unary.sum(axis=1))
        assert_allclose(marginals.pairwise.sum(axis=2), marginals.unary[:-1], atol=1e-9)
        assert_allclose(marginals.pairwise.sum(axis=1), marginals.unary[1:], atol=1e-9)
    _adds_up(Transitions(pairwise).marginals(unary).unary.sum(axis=1))
    _adds_up(batch.marginals_batch(unary, [len(unary)], pairwise).unary.sum(axis=1))
    _adds_up(loopy_bp.propagate(unary, edges, pairwise).unary.sum(axis=1))
    _adds_up(np.add.reduceat(np.exp(lattice.log_marginals(words, scores)[1]), words.arc_start[:-1]))
    for on_nodes in (False, True):
        pruned = prune.prune(words, scores, 0.5, on_nodes=on_nodes, rule="probability")
        bounds = words.node_start if on_nodes and len(unary) > 1 else words.arc_start
        _adds_up(np.add.reduceat(pruned.values, bounds[:-1] - bounds[0]))
    return 1


def _adds_up(sums):
    assert_allclose(sums, 1, atol=1e-9)


def test_probabilities_add_up_at_any_scale():
    for seed in range(cases(4_000, 60)):
        check_rows(seed)


def test_large_scores_keep_their_probabilities():
    """Two labellings 1 apart, both worth 1e8 or 1e12: their common part does not matter."""
    for size in (1e8, 1e12):
        unary = np.array([[size, size + 1.0], [0.0, -np.inf]])
        of_chain = chain.marginals(unary, np.zeros((2, 2)))
        assert_allclose(of_chain.unary[0], [1 / (1 + np.e), np.e / (1 + np.e)], rtol=1e-9)
        of_tree = tree.marginals(unary, [[0, 1]], np.zeros((2, 2)))
        assert_allclose(of_tree.unary, of_chain.unary, rtol=1e-9)


def test_probabilities_of_trees_of_words_add_up_or_are_refused():
    for scale in (1e-300, 1.0, 100.0, 1e6, 1e300):
        scores = np.random.default_rng(0).normal(size=(5, 5)).clip(-1, 1) * scale
        if scale > 1e3:
            with pytest.raises(ArgumentError, match=r"scores\[1\] must lie within 600 to sum over trees"):
                arborescence.marginals(scores)
            continue
        for single_root in (False, True):
            _adds_up(arborescence.marginals(scores, single_root=single_root).arcs[1:].sum(axis=1))


# Units


OF_SUMS = ("chain.marginals", "batch.marginals_batch", "tree.marginals", "lattice.log_marginals",
           "arborescence.marginals", "batch.summarise_chains", "soft.soft_best", "gibbs.sample",
           "gibbs.seeds")  # fmt: skip
PLAIN = ("alpha", "membership", "damping", "tolerance", "left", "labels")
WITHOUT_SCORES = ("templates", "ngrams", "space", "graph", "agglomerate", "placed", "beam", "dense",
                  "guarantees")  # fmt: skip
"""Modules whose functions take no scores, or take them inside an object made before."""


def _is_of_scores(name):
    return name not in OF_SUMS and name.split(".")[0] not in WITHOUT_SCORES


def _drawn_anew(value, rng):
    if isinstance(value, np.ndarray) and value.dtype.kind == "f":
        return rng.normal(size=value.shape) if rng.random() < 0.7 else rng.integers(-2, 3, value.shape) * 1.0
    return value


def scaled(value, factor):
    """The value with every float in it multiplied by a factor."""
    if isinstance(value, np.ndarray) and value.dtype.kind == "f":
        return value * factor
    if isinstance(value, float):
        return value * factor
    if isinstance(value, list) and any(isinstance(part, float | list | np.ndarray) for part in value):
        return [scaled(part, factor) for part in value]
    if isinstance(value, tuple):
        parts = [scaled(part, factor) for part in value]
        return type(value)(*parts) if hasattr(value, "_fields") else tuple(parts)
    return value


def check_units(seed):
    """One function of scores: times 2^k in, times 2^k out, or unchanged where unitless; returns 1."""
    rng = np.random.default_rng(seed)
    names = [name for name in valid() if _is_of_scores(name)]
    name = names[seed % len(names)]
    known = {key: _drawn_anew(value, rng) for key, value in valid()[name].items()}
    if name == "loopy_bp.propagate":
        known["tolerance"] = 0.0
    factor = 2.0 ** int(rng.integers(-900, 990))
    known = {
        key: value for key, value in known.items() if key not in ("limit", "mask", "filtered", "messages")
    }
    if len(known) < len(valid()[name]):
        return 1  # made from other scores: `check_pruning_units` covers them
    wanted = function_of(name)(**known)
    asked = {key: value if key in PLAIN else scaled(value, factor) for key, value in known.items()}
    _same_or_scaled(function_of(name)(**asked), wanted, factor, f"{name} times {factor:.3g}")
    return 1


def _same_or_scaled(actual, wanted, factor, what):
    if isinstance(wanted, tuple | list):
        for part, other in zip(actual, wanted, strict=True):
            _same_or_scaled(part, other, factor, what)
        return
    wanted = np.asarray(wanted)
    if wanted.dtype.kind != "f":
        assert_array_equal(actual, wanted, err_msg=what)
    elif not np.array_equal(actual, wanted):
        assert_array_equal(actual, wanted * factor, err_msg=what)


def test_a_unit_of_scores_changes_nothing_else():
    n = sum(map(_is_of_scores, valid()))
    for seed in range(cases(200 * n, 3 * n)):
        check_units(seed)


def check_pruning_units(seed):
    """Masks of every filter are the same in every unit; returns 1."""
    rng = np.random.default_rng(seed)
    length, n, alpha = (
        int(rng.integers(1, 5)),
        int(rng.integers(2, 4)),
        float(rng.choice([0.0, 0.5, 0.9, 1.0])),
    )
    unary = rng.normal(size=(length, n)) if rng.random() < 0.7 else rng.integers(-1, 2, (length, n)) * 1.0
    every = np.ones((length, n), dtype=bool)
    words = space.bigrams([length], n, every)
    scores = rng.normal(size=words.n_arcs)
    masks = []
    for factor in (1.0, 2.0 ** int(rng.integers(-900, 0)), 2.0 ** int(rng.integers(0, 990))):
        kept = [
            prune.prune(words, scores * factor, alpha, on_nodes=on_nodes).keep for on_nodes in (False, True)
        ]
        kept.append(prune.keep_states(words, scores * factor, alpha, every))
        kept.append(prune.keep_unaries(unary * factor, [0, length], alpha))
        masks.append(np.concatenate([mask.reshape(-1) for mask in kept]))
    assert_array_equal(masks[1], masks[0])
    assert_array_equal(masks[2], masks[0])
    return 1


def test_pruning_knows_no_unit():
    for seed in range(cases(4_000, 60)):
        check_pruning_units(seed)


def test_scores_near_the_limit_are_pruned_as_any():
    """Sums of such scores exceed the limit of a score, but no caller passed these sums."""
    rng = np.random.default_rng(0)
    words = space.bigrams([40], 3, np.ones((40, 3), dtype=bool))
    scores = rng.normal(size=words.n_arcs).clip(-1, 1)
    wanted = prune.prune(words, scores, 0.5)
    pruned = prune.prune(words, scores * 2.0**996, 0.5)
    assert_array_equal(pruned.keep, wanted.keep)
    assert_array_equal(prune.points_of(pruned), prune.points_of(wanted))
    assert np.isfinite(pruned.passed.max_marginal).all()
