"""What each piece takes on this machine: Table 2, beside the paper's."""

import time

import numpy as np

from spcviz.problems.scene import codes, descriptors, features, segments, shape

PAPER_MS = {
    "FH": 167, "SHAPE": 2, "TXT (B)": 29, "TXT (D)": 66, "LBP (B)": 64, "LBP (D)": 265, "I-SIFT (B)": 33,
    "I-SIFT (D)": 165, "C-SIFT (B)": 93, "C-SIFT (D)": 443,
}  # fmt: skip
"""Table 2: Stanford Background pictures of 320 x 240, Intel i7-2960XM; D is all 150 centres."""


def measure(pictures, vocabulary, repeats=5):
    """Milliseconds of each piece: the fastest of its repeats, mean over pictures.

    Parameters
    ----------
    pictures : list of ndarray, shape (H, W, 3), uint8
    vocabulary : Vocabulary
    repeats : int

    Returns
    -------
    list of dict
        ``piece``, ``ms``, ``paper_ms``; of groups with centres also ``centre_ms``, one centre by itself.
    """
    found = [_pieces(picture, vocabulary, repeats) for picture in pictures]
    rows = []
    for piece in found[0]:
        row = {"piece": piece, "ms": float(np.mean([own[piece][0] for own in found]))}
        row["paper_ms"] = PAPER_MS[piece]
        if found[0][piece][1] is not None:
            row["centre_ms"] = float(np.mean([own[piece][1] for own in found]))
        rows.append(row)
    return rows


def _pieces(picture, vocabulary, repeats):
    """{piece: (milliseconds, milliseconds of one centre or None)} of one picture."""
    tree, ms = _least(lambda: segments.hierarchy(picture), repeats)
    out = {"FH": (ms, None)}
    n_levels, size = segments.N_LEVELS, np.bincount(tree.atoms.ravel()).astype(np.float32)
    sums, ms = _least(lambda: shape.of_atoms(tree), repeats)
    _, more = _least(lambda: [shape.of_level(sums, tree, level) for level in range(n_levels)], repeats)
    out["SHAPE"] = (ms + more, None)
    for group in codes.GROUPS:
        step = descriptors.STEPS[group]
        (described, grid), ms = _least(
            lambda g=group, s=step: (codes.describe(picture, g), codes.grid(tree.atoms, s)), repeats
        )
        out[f"{group} (B)"] = (ms, None)
        pieces = (vocabulary.books[group], described, grid, tree, size)
        _, every = _least(lambda p=pieces: _derived(*p, np.arange(codes.N_CENTRES)), repeats)
        _, one = _least(lambda p=pieces: _derived(*p, np.array([7])), repeats)
        out[f"{group} (D)"] = (every, one)
    return out


def _derived(book, described, grid, tree, size, wanted):
    """Codes of some centres, pooled over the regions of all levels."""
    atoms = codes.pool(codes.codes(book, described, wanted), grid, len(size))
    levels = range(1, segments.N_LEVELS)
    return [codes.raise_to(atoms, tree.member[level], size, tree.n_regions(level)) for level in levels]


def _least(call, repeats):
    """(result, milliseconds of the fastest run)."""
    found, least = call(), np.inf
    for _ in range(repeats):
        start = time.perf_counter()
        found = call()
        least = min(least, 1000 * (time.perf_counter() - start))
    return found, least


def everything(picture, vocabulary, repeats=3):
    """Seconds from a picture's pixels to all features of all its regions."""
    from spcviz.problems.scene.run import all_steps

    columns, levels = np.arange(features.N_COLUMNS), range(segments.N_LEVELS)
    call = lambda: all_steps(features.Seen(picture, vocabulary), levels, columns)  # noqa: E731
    return _least(call, repeats)[1] / 1000
