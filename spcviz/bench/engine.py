"""Times of the engine against numpy and whichever peers are installed, interleaved, as ratios.

Each operation is run turn by turn by every contender in one process, so that a slow moment of the
machine hits all of them; medians are compared. Peers: python-crfsuite and hmmlearn, if installed.
"""

import importlib
import tempfile
import time
from pathlib import Path

import numpy as np

from spcviz.bench.loopy import bench_loopy
from spcviz.engine import chain, checks, dense, lattice
from spcviz.engine.ngrams import encode, ngram_table
from spcviz.problems.common.report import describe

SIZES = ((8, 26), (25, 45), (100, 45), (1000, 100))


def bench_engine(*, repeats=20, tick=None):
    """Time chains, batches, lattices, dense n-gram decoding, trees and grids.

    No packaged peer is at hand for trees and grids; their rows stand alone.

    Parameters
    ----------
    repeats : int
        Medians over this many turns.
    tick : callable, optional
        Called with the name of each operation as it begins.

    Returns
    -------
    dict
        ``rows``: operation, contender, microseconds (median), ratio to this engine (over 1: slower
        than it); ``absent``: peers that are not installed; the rest as of `describe`.
    """
    repeats = checks.integer("repeats", repeats, 1, 1_000_000)
    rng = np.random.default_rng(0)
    rows = []
    for name, contenders in _operations(rng):
        if tick is not None:
            tick(name)
        medians = _interleaved(contenders, repeats)
        ours = medians["spcviz"]
        rows += [
            {"operation": name, "contender": who, "us": us, "ratio": us / ours} for who, us in medians.items()
        ]
    if tick is not None:
        tick("trees and grids")
    rows += [
        {
            "operation": f"{row['name']}, {row['size']}",
            "contender": "spcviz",
            "us": row["median_us"],
            "ratio": 1.0,
        }
        for row in bench_loopy(n_repeats=min(repeats, 10_000))
    ]
    absent = [name for name in ("pycrfsuite", "hmmlearn") if _installed(name) is None]
    return describe(
        "bench-engine",
        "this engine and others' on random scores; times are ratios, the machine's digits are its own",
        rows,
        baselines=[],
        settings={"repeats": repeats, "statistic": "median"},
        data={},
        absent=absent,
    )


def as_text(result):
    """The table for a terminal."""
    lines = [f"{'operation':44} {'contender':16} {'µs':>12} {'ratio':>8}"]
    for row in result["rows"]:
        lines.append(f"{row['operation']:44} {row['contender']:16} {row['us']:12.1f} {row['ratio']:8.2f}")
    if result["absent"]:
        lines.append(f"not installed: {', '.join(result['absent'])} (python -m pip install ...)")
    return "\n".join(lines)


def _interleaved(contenders, repeats):
    for run in contenders.values():
        run()  # compile, allocate
    times = {name: [] for name in contenders}
    for _ in range(repeats):
        for name, run in contenders.items():
            start = time.perf_counter()
            run()
            times[name].append(time.perf_counter() - start)
    return {name: 1e6 * float(np.median(values)) for name, values in times.items()}


def _operations(rng):
    """Yields (operation, {contender: function without arguments})."""
    for length, n in SIZES:
        unary, pairwise = rng.normal(size=(length, n)), rng.normal(size=(n, n))
        label = f"{length} x {n}"
        peers = _chain_peers(unary, pairwise)
        yield (
            f"Viterbi {label}",
            {
                "spcviz": lambda u=unary, p=pairwise: chain.decode(u, p),
                "numpy": lambda u=unary, p=pairwise: _numpy_viterbi(u, p),
            }
            | {name: run for name, (run, _) in peers.items()},
        )
        yield (
            f"max-marginals of states {label}",
            {
                "spcviz": lambda u=unary, p=pairwise: chain.max_marginals_batch(u, [len(u)], p),
                "numpy": lambda u=unary, p=pairwise: _numpy_max_marginals(u, p),
            },
        )
        if n < 100:
            yield (
                f"sum marginals {label}",
                {
                    "spcviz": lambda u=unary, p=pairwise: chain.marginals(u, p),
                    "numpy": lambda u=unary, p=pairwise: _numpy_marginals(u, p),
                }
                | {name: run for name, (_, run) in peers.items() if run is not None},
            )
    lengths = rng.integers(3, 15, 2000)
    unary, pairwise = rng.normal(size=(lengths.sum(), 26)), rng.normal(size=(26, 26))
    pieces = np.split(unary, np.cumsum(lengths)[:-1])
    yield (
        "Viterbi, batch of 2000 words",
        {
            "spcviz": lambda: chain.decode_batch(unary, lengths, pairwise),
            "spcviz one by one": lambda: [chain.decode(u, pairwise) for u in pieces],
            "numpy": lambda: [_numpy_viterbi(u, pairwise) for u in pieces],
        },
    )
    yield from _ngram_operations(rng)


def _ngram_operations(rng):
    unary = rng.normal(size=(8, 26))
    for order in (3, 4):
        grams = {encode(26, rng.integers(0, 26, order)): rng.normal() for _ in range(5000)}
        table = ngram_table(26, list(grams), list(grams.values()))
        model = dense.dense_model(table, order)
        sparse = lattice.unigrams([8], 26, unary > np.sort(unary, axis=1)[:, [-9]])  # 8 states each
        for _ in range(order - 1):
            sparse = lattice.extend(sparse, np.ones(sparse.n_arcs, dtype=bool))
        score = lattice.score_arcs(sparse, unary, table)
        yield (
            f"order {order}, 8 x 26: dense against 8 states left",
            {
                "spcviz": lambda m=model: dense.dense_decode(m, unary),
                "lattice": lambda s=sparse, t=table: lattice.decode(s, lattice.score_arcs(s, unary, t)),
                "lattice messages": lambda s=sparse, v=score: lattice.messages(s, v),
                "numpy": lambda m=model: _numpy_dense(m, unary),
            },
        )


def _numpy_viterbi(unary, pairwise):
    score, back = unary[0], np.empty(unary.shape, dtype=np.int64)
    for i in range(1, len(unary)):
        table = score[:, None] + pairwise
        back[i] = table.argmax(axis=0)
        score = table.max(axis=0) + unary[i]
    labels = [int(score.argmax())]
    for i in range(len(unary) - 1, 0, -1):
        labels.append(int(back[i, labels[-1]]))
    return labels[::-1]


def _numpy_max_marginals(unary, pairwise):
    left, right = np.zeros_like(unary), np.zeros_like(unary)
    for i in range(1, len(unary)):
        left[i] = ((left[i - 1] + unary[i - 1])[:, None] + pairwise).max(axis=0)
    for i in range(len(unary) - 2, -1, -1):
        right[i] = (pairwise + (right[i + 1] + unary[i + 1])).max(axis=1)
    return left + unary + right


def _numpy_marginals(unary, pairwise):
    exp_unary, exp_pairwise = np.exp(unary), np.exp(pairwise)
    left, right = np.ones_like(unary), np.ones_like(unary)
    for i in range(1, len(unary)):
        left[i] = (left[i - 1] * exp_unary[i - 1]) @ exp_pairwise
        left[i] /= left[i].sum()
    for i in range(len(unary) - 2, -1, -1):
        right[i] = exp_pairwise @ (right[i + 1] * exp_unary[i + 1])
        right[i] /= right[i].sum()
    node = left * exp_unary * right
    edge = (left * exp_unary)[:-1, :, None] * exp_pairwise * (exp_unary * right)[1:, None, :]
    return node / node.sum(axis=1, keepdims=True), edge / edge.sum(axis=(1, 2), keepdims=True)


def _numpy_dense(model, unary):
    n = model.n_states
    score = unary[0]
    for m in range(1, model.order - 1):
        score = (score[:, None] + model.sums[m] + unary[m]).reshape(-1)
    for i in range(model.order - 1, len(unary)):
        table = (score[:, None] + model.sums[-1]).reshape(n, -1)
        score = (table.max(axis=0).reshape(-1, n) + unary[i]).reshape(-1)
    return score.max()


def _installed(name):
    try:
        return importlib.import_module(name)
    except ImportError:
        return None


def _chain_peers(unary, pairwise):
    """{peer: (Viterbi, sum marginals or None)} on the same sizes (their own weights)."""
    peers = {}
    crfsuite = _installed("pycrfsuite")
    if crfsuite is not None:
        peers["python-crfsuite"] = _crfsuite(crfsuite, *unary.shape)
    hmm = _installed("hmmlearn.hmm")
    if hmm is not None:
        n = unary.shape[1]
        model = hmm.CategoricalHMM(n)
        model.startprob_ = np.full(n, 1 / n)
        model.transmat_ = np.exp(pairwise) / np.exp(pairwise).sum(axis=1, keepdims=True)
        model.emissionprob_ = np.full((n, n), 1 / n)
        seen = np.arange(len(unary))[:, None] % n
        peers["hmmlearn"] = (lambda: model.decode(seen), lambda: model.predict_proba(seen))
    return peers


def _crfsuite(crfsuite, length, n):
    trainer = crfsuite.Trainer(verbose=False)
    labels = [str(k) for k in range(n)]
    order = np.random.default_rng(0).integers(0, n, 4 * n)
    trainer.append([[f"x={i}"] for i in range(n)], labels)
    trainer.append([["bias"] for _ in order], [str(k) for k in order])
    trainer.set_params({"max_iterations": 2, "feature.possible_transitions": True})
    with tempfile.TemporaryDirectory() as folder:
        path = str(Path(folder) / "model")
        trainer.train(path)
        tagger = crfsuite.Tagger()
        tagger.open(path)
    tagger.set([[f"x={i % n}"] for i in range(length)])

    def marginals():
        tagger.set([[f"x={i % n}"] for i in range(length)])
        return tagger.marginal("0", 0)

    return tagger.tag, marginals
