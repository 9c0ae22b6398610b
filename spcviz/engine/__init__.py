"""Exact inference on plain arrays: numpy and numba only. Nothing here draws, caches results or prints."""


def warmup():
    """Compile, or load from the disk cache, the kernels of cascades; a second or less when cached.

    Call it once at start-up from any thread; the kernels release the GIL while they run.
    """
    import numpy as np

    from spcviz.engine.ngrams import dense, lattice
    from spcviz.engine.ngrams.prune import prune, truth_points
    from spcviz.engine.ngrams.table import encode, ngram_table

    unary, labels = np.array([[0.0, 1.0], [1.0, 0.0], [0.0, 2.0]]), np.array([1, 0, 1])
    table = ngram_table(2, [encode(2, (0, 1))], [1.0])
    dense.dense_decode(dense.dense_model(table, 4), np.zeros((4, 2)))  # of each order its own kernel
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
