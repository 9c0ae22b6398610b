"""Adapters to other libraries' functions, where they are installed, for the operations of `bench engine`.

A peer computes the same operation on the same size; where it cannot be given scores (crfsuite, hmmlearn) it
uses its own weights. JAX has no chain operations: the functions here are what a user would write, compiled,
in 32 bits. The rest of the package calls nothing of this.
"""

import importlib
import tempfile
from collections.abc import Callable
from pathlib import Path

import numpy as np

NAMES = ("pycrfsuite", "hmmlearn", "seqlearn", "jax", "pynini", "pgmax")
"""Modules; `tests/requirements-bench.txt` installs them."""


def import_if_there(name):
    """A module, or None if it is not installed."""
    try:
        return importlib.import_module(name)
    except ImportError:
        return None


def absent():
    """The modules of `NAMES` that are not installed."""
    return [name for name in NAMES if import_if_there(name) is None]


FAILED = {}
"""Errors by module: peers that are installed, but do not run with the other installed packages."""


def _offers(module, name, make, *args):
    """{name: its functions}; empty if it is not installed, or does not run, which `FAILED` records."""
    library = import_if_there(module)
    if library is None:
        return {}
    try:
        offers = make(library, *args)
        for run in offers.values():
            run()
    except Exception as error:  # foreign code: a version of it may fail in any way
        FAILED[module.partition(".")[0]] = f"{type(error).__name__}: {error}".splitlines()[0]
        return {}
    return {name: offers}


def chains(unary: np.ndarray, pairwise: np.ndarray) -> dict[str, dict[str, Callable]]:
    """Functions of the peers for a chain (L, K), (K, K): ``viterbi``, ``max_marginals``, ``marginals``."""
    makers = (
        ("pycrfsuite", "python-crfsuite", _crfsuite),
        ("hmmlearn.hmm", "hmmlearn", _hmmlearn),
        ("seqlearn._decode.viterbi", "seqlearn", _seqlearn),
        ("jax", "JAX scan, 32 bits", _jax),
    )
    return {name: calls for maker in makers for name, calls in _offers(*maker, unary, pairwise).items()}


def _hmmlearn(library, unary, pairwise):
    n = unary.shape[1]
    model = library.CategoricalHMM(n)
    model.startprob_ = np.full(n, 1 / n)
    model.transmat_ = np.exp(pairwise) / np.exp(pairwise).sum(axis=1, keepdims=True)
    model.emissionprob_ = np.full((n, n), 1 / n)
    seen = np.arange(len(unary))[:, None] % n
    return {"viterbi": lambda: model.decode(seen), "marginals": lambda: model.predict_proba(seen)}


def _seqlearn(library, unary, pairwise):
    nothing = np.zeros(unary.shape[1])
    return {"viterbi": lambda: library.viterbi(unary, pairwise, None, nothing, nothing)}


def _crfsuite(library, unary, pairwise):
    length, n = unary.shape
    trainer = library.Trainer(verbose=False)
    labels = [str(k) for k in range(n)]
    order = np.random.default_rng(0).integers(0, n, 4 * n)
    trainer.append([[f"x={i}"] for i in range(n)], labels)
    trainer.append([["bias"] for _ in order], [str(k) for k in order])
    trainer.set_params({"max_iterations": 2, "feature.possible_transitions": True})
    with tempfile.TemporaryDirectory() as folder:
        path = str(Path(folder) / "model")
        trainer.train(path)
        tagger = library.Tagger()
        tagger.open(path)
    items = [[f"x={i % n}"] for i in range(length)]
    tagger.set(items)

    def marginals():
        tagger.set(items)
        return tagger.marginal("0", 0)

    return {"viterbi": tagger.tag, "marginals": marginals}


def _jax(library, unary, pairwise):
    functions = _jax_functions(library)
    u, p = library.numpy.asarray(unary, "float32"), library.numpy.asarray(pairwise, "float32")
    return {
        name: lambda function=function: library.block_until_ready(function(u, p))
        for name, function in functions.items()
    }


def _jax_functions(jax):
    """{operation: compiled function of (unary, pairwise)}."""
    jnp, scan = jax.numpy, jax.lax.scan

    def viterbi(unary, pairwise):
        def ahead(score, row):
            table = score[:, None] + pairwise
            return table.max(axis=0) + row, table.argmax(axis=0)

        def back(state, pointers):
            return pointers[state], pointers[state]

        score, pointers = scan(ahead, unary[0], unary[1:])
        last = score.argmax()
        _, labels = scan(back, last, pointers, reverse=True)
        return score.max(), jnp.append(labels, last)

    def max_marginals(unary, pairwise):
        def ahead(message, row):
            message = ((message + row)[:, None] + pairwise).max(axis=0)
            return message, message

        def back(message, row):
            message = (pairwise + (message + row)).max(axis=1)
            return message, message

        nothing = jnp.zeros(unary.shape[1])
        _, left = scan(ahead, nothing, unary[:-1])
        _, right = scan(back, nothing, unary[1:], reverse=True)
        return jnp.vstack([nothing, left]) + unary + jnp.vstack([right, nothing])

    def marginals(unary, pairwise):
        unary, pairwise = jnp.exp(unary - unary.max(axis=1, keepdims=True)), jnp.exp(pairwise)

        def ahead(message, row):
            message = (message * row) @ pairwise
            return message / message.sum(), message / message.sum()

        def back(message, row):
            message = pairwise @ (message * row)
            return message / message.sum(), message / message.sum()

        nothing = jnp.ones(unary.shape[1])
        _, left = scan(ahead, nothing, unary[:-1])
        _, right = scan(back, nothing, unary[1:], reverse=True)
        table = jnp.vstack([nothing, left]) * unary * jnp.vstack([right, nothing])
        return table / table.sum(axis=1, keepdims=True)

    functions = {"viterbi": viterbi, "max_marginals": max_marginals, "marginals": marginals}
    return {name: jax.jit(function) for name, function in functions.items()}


def batches(unary, lengths, pairwise):
    """Functions of the peers for many chains in a call: as `chains`, without sum marginals."""
    pieces = np.split(unary, np.cumsum(lengths)[:-1])
    return _offers("seqlearn._decode.viterbi", "seqlearn", _seqlearn_batch, pieces, pairwise) | _offers(
        "jax", "JAX vmap, 32 bits", _jax_batch, pieces, lengths, pairwise
    )


def _seqlearn_batch(library, pieces, pairwise):
    nothing = np.zeros(len(pairwise))
    return {"viterbi": lambda: [library.viterbi(u, pairwise, None, nothing, nothing) for u in pieces]}


def _jax_batch(jax, pieces, lengths, pairwise):
    """Words of one length at a time: padding would make all cost as much as the longest."""
    functions = {
        name: jax.jit(jax.vmap(function, in_axes=(0, None))) for name, function in _jax_functions(jax).items()
    }
    alike = [
        jax.numpy.asarray(np.stack([u for u in pieces if len(u) == n]), "float32") for n in np.unique(lengths)
    ]
    p = jax.numpy.asarray(pairwise, "float32")
    return {
        name: lambda f=functions[name]: jax.block_until_ready([f(u, p) for u in alike])
        for name in ("viterbi", "max_marginals")
    }


def lattices(tail: np.ndarray, head: np.ndarray, score: np.ndarray, n_nodes: int, last: int):
    """Functions of the peers for a lattice of arcs (A,), nodes numbered column by column: ``best_path`` to
    nodes from `last` on, ``max_marginals`` of arcs."""
    return _offers("pynini", "OpenFst (pynini)", _openfst, tail, head, score, n_nodes, last)


def _openfst(pynini, tail, head, score, n_nodes, last):
    fst = pynini.Fst()
    fst.add_states(n_nodes + 1)  # the first leads to every node without arcs into it
    fst.set_start(0)
    for v in np.setdiff1d(np.arange(n_nodes), head):
        fst.add_arc(0, pynini.Arc(0, 0, 0.0, int(v) + 1))
    for a in range(len(tail)):
        fst.add_arc(int(tail[a]) + 1, pynini.Arc(0, 0, -float(score[a]), int(head[a]) + 1))
    for v in range(last, n_nodes):
        fst.set_final(v + 1)

    def both_passes():
        return pynini.shortestdistance(fst), pynini.shortestdistance(fst, reverse=True)

    return {"best_path": lambda: pynini.shortestpath(fst), "max_marginals": both_passes}


def grids(unary, across, down, iterations):
    """Functions of the peers for a grid: ``lbp_max``, max-product with `iterations` parallel updates."""
    return _offers("pgmax", "PGMax, 32 bits", _pgmax, unary, across, down, iterations)


def _pgmax(_library, unary, across, down, iterations):
    jax = import_if_there("jax")
    fgraph, fgroup = import_if_there("pgmax.fgraph"), import_if_there("pgmax.fgroup")
    infer, vgroup = import_if_there("pgmax.infer"), import_if_there("pgmax.vgroup")
    rows, columns, n = unary.shape
    variables = vgroup.NDVarArray(num_states=n, shape=(rows, columns))
    graph = fgraph.FactorGraph(variable_groups=variables)
    pairs = [[variables[r, c], variables[r, c + 1]] for r in range(rows) for c in range(columns - 1)]
    pairs += [[variables[r, c], variables[r + 1, c]] for r in range(rows - 1) for c in range(columns)]
    tables = np.concatenate([across.reshape(-1, n, n), down.reshape(-1, n, n)])
    graph.add_factors(fgroup.PairwiseFactorGroup(variables_for_factors=pairs, log_potential_matrix=tables))
    inferer = infer.build_inferer(graph.bp_state, backend="bp")
    begin = inferer.init(evidence_updates={variables: unary})
    run = jax.jit(lambda arrays: inferer.run(arrays, num_iters=iterations, damping=0.0, temperature=0.0))
    return {"lbp_max": lambda: jax.block_until_ready(run(begin))}
