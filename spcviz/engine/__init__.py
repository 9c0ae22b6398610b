"""Inference on plain arrays, with numpy and numba only. Nothing here draws, caches results or prints.

``from spcviz.engine import chain`` imports a module of any package below; it is loaded on first use.

======================  =======================================================================
chains                  linear chains: Viterbi, forward-backward, max-marginals, k best
graphs                  trees, grids, ensembles of trees, loopy belief propagation, Gibbs sampling,
                        pictorial structures, variable elimination
ngrams                  sparse n-gram lattices: score, prune, extend; dense Viterbi and beam search
variable_order          lattices in which every position has its own n-gram order
dependency              dependency trees: arborescences and projective trees
thresholds              the threshold of a cascade, and the assignments that it keeps
kernels                 compilation of loops: jit, disk cache, semirings, vectors
======================  =======================================================================
"""

from importlib import import_module
from types import ModuleType

_ROOM_OF = {
    "chain": "chains",
    "prepared": "chains",
    "quiescent": "chains",
    "soft": "chains",
    "graph": "graphs",
    "tree": "graphs",
    "grid": "graphs",
    "ensemble": "graphs",
    "loopy_bp": "graphs",
    "gibbs": "graphs",
    "placed": "graphs",
    "exhaustive": "graphs",
    "table": "ngrams",
    "space": "ngrams",
    "lattice": "ngrams",
    "prune": "ngrams",
    "dense": "ngrams",
    "beam": "ngrams",
    "arborescence": "dependency",
    "projective": "dependency",
    "rule": "thresholds",
    "filtering": "thresholds",
}

__all__ = ["warmup", *_ROOM_OF]


def __getattr__(name: str) -> ModuleType:
    """A module by its bare name, whichever package it is in."""
    if name not in _ROOM_OF:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return import_module(f"{__name__}.{_ROOM_OF[name]}.{name}")


def __dir__() -> list[str]:
    return sorted(__all__)


def warmup() -> None:
    """Compile, or load from the disk cache, the kernels of cascades; a second or less when cached.

    Call it once at start-up from any thread; the kernels release the GIL while they run.
    """
    import numpy as np

    from spcviz.engine.ngrams import dense, lattice
    from spcviz.engine.ngrams.prune import prune, truth_points
    from spcviz.engine.ngrams.table import encode, ngram_table

    unary, labels = np.array([[0.0, 1.0], [1.0, 0.0], [0.0, 2.0]]), np.array([1, 0, 1])
    table = ngram_table(2, [encode(2, (0, 1))], [1.0])
    dense.dense_decode(dense.dense_model(table, 4), np.zeros((4, 2)))  # each order has its own kernel
    letters = lattice.unigrams([3], 2)
    for _ in range(2):
        score = lattice.score_arcs(letters, unary, table)
        lattice.decode(letters, score)
        lattice.log_marginals(letters, score)
        pruned = prune(letters, score, 0.0, max_arcs=100)
        lattice.pointers(letters, score, pruned.passed.forward, pruned.passed.backward)
        truth = lattice.path_of(letters, labels)
        truth_points(letters, pruned, truth, lattice.score_labels(letters, unary, table, labels))
        letters = lattice.extend(letters, pruned.keep)
