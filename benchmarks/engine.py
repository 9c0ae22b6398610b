"""Times of the engine against numpy and whichever peers are installed, interleaved, as ratios.

Contenders alternate on each operation in one process, those with their own threads after the others, so that
a slow moment of the machine hits all of them; medians are compared. Times are the process's CPU seconds, over
all its threads: the wall clock would include other programs.
"""

import time
from collections.abc import Callable, Sequence

import numpy as np

from benchmarks import cascades, peers
from benchmarks.loopy import COLUMNS, N_STATES, ROWS, bench_loopy
from spcviz.engine import checks
from spcviz.engine.chains import chain
from spcviz.engine.chains.prepared import Transitions
from spcviz.engine.graphs import grid, loopy_bp
from spcviz.engine.ngrams import dense, lattice
from spcviz.engine.ngrams.table import encode, ngram_table
from spcviz.problems.grids import fields as grids
from spcviz.problems.letters import handwriting as letters
from spcviz.problems.letters.model import stored
from spcviz.shared.folders import MODELS
from spcviz.shared.report import describe, machine, markdown_table
from spcviz.store import StoreError

SIZES = ((8, 26), (25, 45), (100, 45), (1000, 100))
MANY = 25, 300
ITERATIONS = 50
QUARTILES = (0.25, 0.5, 0.75)
_TURN, _MOST_CALLS = 2e-3, 4096
"""Least seconds of a round, and most calls: neither the clock's own time nor what the previous contender left
in the processor's caches matters then. For every contender, what is measured is calling in a loop."""

CASCADE = ("raw", (2, 3, 4), 1)
"""Handwriting: features of the stored model, orders, batches of words per round."""

REACH = {
    "Viterbi 8 x 26": 1.5,
    "Viterbi 25 x 45": 6,
    "Viterbi 100 x 45": 7,
    "Viterbi 1000 x 100": 6,
    "Viterbi, all handwritten words": 6,
    "node max-marginals 8 x 26": 5,
    "node max-marginals 25 x 45": 6,
    "node max-marginals 100 x 45": 6,
    "node max-marginals 1000 x 100": 2.5,
    "node max-marginals, all handwritten words": 4,
    "sum marginals 8 x 26": 1.5,
    "sum marginals 25 x 45": 2,
    "sum marginals 100 x 45": 1.5,
    "sum marginals 1000 x 100": 1,
    "trigram lattice, best path": 5,
    "trigram lattice, max-marginals of arcs": 120,
    "max-product LBP": 12,
    "cascade, handwriting of order 3": 1,
    "cascade, handwriting of order 4": 5,
}
"""Goals: how many times faster than the best of the others."""


def bench_engine(*, repeats: int = 20, tick: Callable = lambda text: None) -> dict:
    """Time chains, batches, lattices, dense n-gram decoding, cascades, trees and grids.

    A ratio is to this engine (over 1: slower than it); ``absent`` are peers that are not installed,
    ``failed`` says why an installed peer does not run.
    """
    peers.FAILED.clear()
    repeats = checks.integer("repeats", repeats, 1, 1_000_000)
    rng = np.random.default_rng(0)
    rows = []
    for name, contenders in _operations(rng):
        tick(name)
        turns = _interleave(contenders, repeats)
        ours = turns["spcviz"][1]
        rows += [(name, who, us, us / ours, [low, high]) for who, (low, us, high) in turns.items()]
    tick("trees and grids")
    loopy = bench_loopy(n_repeats=min(repeats, 10_000))
    rows += [(f"{row['name']}, {row['size']}", "spcviz", row["median_us"], 1.0, None) for row in loopy]
    columns = ("processor", "operation", "contender", "us", "ratio", "us_quartiles")
    cpu = machine()["cpu"]
    return describe(
        "bench-engine",
        "this engine and others' on random scores; times are ratios, the machine's digits are its own",
        [dict(zip(columns, (cpu, *row))) for row in rows],
        baselines=[],
        settings={"repeats": repeats, "statistic": "median of CPU time", "reach": REACH},
        data={},
        absent=peers.absent(),
        failed=dict(peers.FAILED),
    )


def beside(result: dict, stored: dict) -> dict:
    """The result, then stored rows of other processors; those that name none are the stored machine's."""
    cpu = stored["machine"]["cpu"]
    rows = [{"processor": cpu, **row} for row in stored["rows"]]
    return result | {"rows": result["rows"] + [r for r in rows if r["processor"] != result["machine"]["cpu"]]}


def ratios(result: dict) -> dict[str, dict[str, tuple[float, str]]]:
    """{operation: {processor: (how many times our time the best of the others takes, its name)}}."""
    best: dict[str, dict[str, tuple[float, str]]] = {}
    for row in result["rows"]:
        if not row["contender"].startswith("spcviz"):
            per_cpu = best.setdefault(row["operation"], {})
            processor, now = row["processor"], (row["ratio"], row["contender"])
            per_cpu[processor] = min(now, per_cpu.get(processor, now))
    return best


def ratio_table(result: dict, processors: Sequence[str]) -> str:
    """`ratios` as a Markdown table, a column for each processor."""
    rows = []
    for name, per_cpu in ratios(result).items():
        cells = (
            f"{per_cpu[one][0]:.2f} ({per_cpu[one][1]})" if one in per_cpu else "–" for one in processors
        )
        rows.append((name, *cells))
    return markdown_table(("operation", *processors), rows)


def section(result: dict) -> str:
    """A summary of the stored result on each processor, for the evidence."""
    processors = list(dict.fromkeys(row["processor"] for row in result["rows"]))
    table = ratio_table(result, processors)
    about = (
        "How many times this engine's CPU time the best of the others takes (above 1: ours is faster), "
        "by processor. File: `bench-engine.json`. Repeat it with `python -m spcviz bench engine`."
    )
    return "\n\n".join(["## The engine beside numpy and other libraries", about, table])


def as_text(result):
    """The table for a terminal, of this machine's rows: each operation against the best of the others."""
    machine_rows = [row for row in result["rows"] if row["processor"] == result["machine"]["cpu"]]
    lines = [f"{'operation':42} {'spcviz µs':>11}  {'best other':18} {'µs':>11} {'ratio':>7} {'reach':>6}"]
    reach = result["settings"]["reach"]
    for name in dict.fromkeys(row["operation"] for row in machine_rows):
        rows = [row for row in machine_rows if row["operation"] == name]
        ours = next(row for row in rows if row["contender"] == "spcviz")
        others = [row for row in rows if not row["contender"].startswith("spcviz")]
        line = f"{name:42} {ours['us']:11.1f}"
        if others:
            best = min(others, key=lambda row: row["us"])
            aim = f"{reach[name]:6.1f}" if name in reach else ""
            line += f"  {best['contender']:18} {best['us']:11.1f} {best['ratio']:7.2f} {aim}"
        lines.append(line.rstrip())
    if result["absent"]:
        names = ", ".join(result["absent"])
        lines.append(f"not installed: {names} (python -m pip install -r tests/requirements-bench.txt)")
    lines += [f"does not run: {name} ({why})" for name, why in result["failed"].items()]
    return "\n".join(lines)


def _interleave(contenders, repeats):
    times_of, n_calls = {name: [] for name in contenders}, {}
    for name, run in contenders.items():
        run()  # compile, allocate
        n_calls[name] = 1
        while n_calls[name] < _MOST_CALLS and _cpu_seconds(run, n_calls[name]) < _TURN:
            n_calls[name] *= 2
    # Threads of JAX run for a while after its answer: their time would be counted as the next contender's.
    for has_threads in (False, True):
        group = {name: run for name, run in contenders.items() if name.startswith("JAX") == has_threads}
        for _ in range(repeats):
            for name, run in group.items():
                times_of[name].append(_cpu_seconds(run, n_calls[name]) / n_calls[name])
    return {name: (1e6 * np.quantile(values, QUARTILES)).tolist() for name, values in times_of.items()}


def _cpu_seconds(run, n_calls):
    start = time.process_time()
    for _ in range(n_calls):
        run()
    return time.process_time() - start


def _with(ours, theirs, operation):
    """Contenders: our own and the peers that have the operation."""
    return ours | {name: offers[operation] for name, offers in theirs.items() if operation in offers}


def _operations(rng):
    """Yields (operation, {contender: function without arguments})."""
    for length, n in SIZES:
        yield from _chain_operations(rng.normal(size=(length, n)), rng.normal(size=(n, n)))
    yield from _peaked_operations(rng)
    yield from _batch_operations(rng)
    yield from _ngram_operations(rng)
    yield from _grid_operations(rng)
    yield from _cascade_operations()


def _chain_operations(unary, pairwise):
    theirs, size = peers.chains(unary, pairwise), f"{unary.shape[0]} x {unary.shape[1]}"
    ready = Transitions(pairwise)
    small_unary, small = unary.astype(np.float32), Transitions(pairwise.astype(np.float32))
    ours = {
        "spcviz": lambda: chain.decode(unary, pairwise),
        "spcviz, transitions ready": lambda: ready.decode(unary),
        "spcviz, transitions ready, 32 bits": lambda: small.decode(small_unary),
        "numpy": lambda: _numpy_viterbi(unary, pairwise),
    }
    yield f"Viterbi {size}", _with(ours, theirs, "viterbi")
    ours = {
        "spcviz": lambda: chain.max_marginals(unary, pairwise, edges=False),
        "spcviz, transitions ready": lambda: ready.max_marginals(unary),
        "spcviz, transitions ready, 32 bits": lambda: small.max_marginals(small_unary),
        "spcviz with pairs": lambda: chain.max_marginals(unary, pairwise),
        "numpy": lambda: _numpy_max_marginals(unary, pairwise),
    }
    yield f"node max-marginals {size}", _with(ours, theirs, "max_marginals")
    ours = {
        "spcviz": lambda: chain.marginals(unary, pairwise, edges=False),
        "spcviz, transitions ready": lambda: ready.marginals(unary),
        "spcviz with pairs": lambda: chain.marginals(unary, pairwise),
        "numpy": lambda: _numpy_marginals(unary, pairwise),
    }
    yield f"sum marginals {size}", _with(ours, theirs, "marginals")


def _peaked_operations(rng):
    """Many states, whose scores lie close together or, as those of trained models do, far apart."""
    length, n = MANY
    pairwise = rng.normal(size=(n, n))
    for spread, about in ((1, "flat"), (10, "peaked")):
        unary = spread * rng.normal(size=(length, n))
        ours = {
            "spcviz": lambda u=unary: chain.decode(u, pairwise),
            "numpy": lambda u=unary: _numpy_viterbi(u, pairwise),
        }
        theirs = peers.chains(unary, pairwise)
        yield f"Viterbi {length} x {n}, {about}", _with(ours, theirs, "viterbi")


def _batch_operations(rng):
    """Random scores for as many words, of the same lengths, as the handwriting has."""
    lengths = letters.load_words().lengths
    unary, pairwise = rng.normal(size=(lengths.sum(), 26)), rng.normal(size=(26, 26))
    pieces = np.split(unary, np.cumsum(lengths)[:-1])
    theirs = peers.batches(unary, lengths, pairwise)
    ours = {
        "spcviz": lambda: chain.decode_batch(unary, lengths, pairwise),
        "spcviz one by one": lambda: [chain.decode(u, pairwise) for u in pieces],
    }
    yield "Viterbi, all handwritten words", _with(ours, theirs, "viterbi")
    ours = {"spcviz": lambda: chain.max_marginals_batch(unary, lengths, pairwise)}
    yield "node max-marginals, all handwritten words", _with(ours, theirs, "max_marginals")


def _ngram_operations(rng):
    unary = rng.normal(size=(8, 26))
    for order in (3, 4):
        grams = {encode(26, rng.integers(0, 26, order)): rng.normal() for _ in range(5000)}
        table = ngram_table(26, list(grams), list(grams.values()))
        model = dense.dense_model(table, order)
        yield (
            f"dense Viterbi of order {order}, 8 x 26",
            {
                "spcviz": lambda m=model: dense.dense_decode(m, unary),
                "numpy": lambda m=model: _numpy_dense(m, unary),
            },
        )
        if order == 3:
            sparse = lattice.unigrams([8], 26, unary > np.sort(unary, axis=1)[:, [-13]])  # 12 states each
            for _ in range(order - 1):
                sparse = lattice.extend(sparse, np.ones(sparse.n_arcs, dtype=bool))
            score = lattice.score_arcs(sparse, unary, table)
            n_nodes, last = int(sparse.node_start[-1]), int(sparse.node_start[-2])
            theirs = peers.lattices(sparse.arc_tail, sparse.arc_head, score, n_nodes, last)
            ours = {"spcviz": lambda s=sparse, v=score: lattice.decode(s, v)}
            yield "trigram lattice, best path", _with(ours, theirs, "best_path")
            ours = {"spcviz": lambda s=sparse, v=score: lattice.messages(s, v)}
            yield "trigram lattice, max-marginals of arcs", _with(ours, theirs, "max_marginals")


def _grid_operations(rng):
    instance = grids.random_grid(rng, ROWS, COLUMNS, N_STATES)
    graph = grid.as_graph(*instance)
    options = {"max_iterations": ITERATIONS, "tolerance": 0.0}
    ours = {"spcviz": lambda: loopy_bp.propagate(*graph, "max", **options)}
    yield "max-product LBP", _with(ours, peers.grids(*instance, ITERATIONS), "lbp_max")
    yield "all combs", {"spcviz": lambda: grid.comb_max_marginals(*instance)}


def _cascade_operations():
    """From letters to labels: the stored cascade against exact inference over all n-grams."""
    features, orders, n_batches = CASCADE
    try:
        model = stored.load_ocr(MODELS, features)
    except StoreError:  # a package without the repository's models
        return
    batches, _ = cascades.batches(model)
    for order in orders:
        pruned = cascades.cascade_run(model.cascade._replace(levels=model.cascade.levels[:order]))
        exact = cascades.dense_run(model.cascade.levels[order - 1].predictor, order)
        runs = {"spcviz": pruned, "dense Viterbi": exact}
        yield (
            f"cascade, handwriting of order {order}",
            {
                name: lambda run=run: [run(table, lengths) for table, lengths in batches[:n_batches]]
                for name, run in runs.items()
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
