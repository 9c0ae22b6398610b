"""Milliseconds of each feature group on this machine: Table 2, and the prices used in training."""

import time

import numpy as np

from spcviz.learning.speedboost import boost, predictor, trees
from spcviz.problems.scene.data import camvid
from spcviz.problems.scene.model import descriptors, extract, features, segments
from spcviz.problems.scene.model.features import COSTS, PictureVocabulary
from spcviz.registry.problem import Run
from spcviz.shared.report import describe

N_PICTURES, UNIT = 8, "CPU ms of one thread, least of repeats"
PAPER_MS = {  # Table 2: Stanford Background, 320 x 240, Intel i7-2960XM; D is all 150 centres
    "FH": 167, "SHAPE": 2, "TXT (B)": 29, "TXT (D)": 66, "LBP (B)": 64, "LBP (D)": 265, "I-SIFT (B)": 33,
    "I-SIFT (D)": 165, "C-SIFT (B)": 93, "C-SIFT (D)": 443,
}  # fmt: skip


def measure(pictures: list[np.ndarray], vocabulary: PictureVocabulary, repeats: int = 15) -> list[dict]:
    """CPU milliseconds of pieces, least of repeats, mean over pictures; "level" is one more level."""
    measured = [_pieces(picture, vocabulary, repeats) for picture in pictures]
    rows = []
    for piece in measured[0]:
        row = {"piece": piece, "ms": float(np.mean([pieces[piece][0] for pieces in measured]))}
        if piece in PAPER_MS:
            row["paper_ms"] = PAPER_MS[piece]
        if measured[0][piece][1] is not None:
            row["centre_ms"] = float(np.mean([pieces[piece][1] for pieces in measured]))
        rows.append(row)
    return rows


def reproduce(run: Run) -> dict:
    """Milliseconds of each piece on this machine (Table 2), and so the costs that SIM learns with."""
    names = camvid.names_of("train")
    chosen = names[:: max(1, len(names) // N_PICTURES)][: 2 if run.quick else N_PICTURES]
    vocabulary = extract.vocabulary(names, run.work)
    pictures = [camvid.load("train", name).picture for name in chosen]
    every = [everything(picture, vocabulary) for picture in pictures]
    return describe(
        COSTS,
        "Grubb et al. (2013), SpeedMachines, Table 2",
        measure(pictures, vocabulary),
        baselines=[],
        settings={"pictures": len(chosen), "size": list(camvid.SIZE), "unit": UNIT},
        data={"camvid": {"pictures": np.stack(pictures)}},
        all_features_ms=1000 * float(np.mean(every)),
    )


def _pieces(picture, vocabulary, repeats):
    """{piece: (milliseconds, milliseconds of one centre or None)} of one picture."""
    tree, ms = _least(lambda: segments.hierarchy(picture), repeats)
    _, less = _least(lambda: segments.hierarchy(picture, 2), repeats)
    n_levels, size = segments.N_LEVELS, np.bincount(tree.atoms.ravel()).astype(np.float32)
    out = {"FH": (ms, None), "level": ((ms - less) / (n_levels - 2), None)}
    sums, ms = _least(lambda: features.shapes_of_atoms(tree), repeats)
    _, more = _least(
        lambda: [features.shapes_of_level(sums, tree, level) for level in range(n_levels)], repeats
    )
    out["SHAPE"] = (ms + more, None)
    seen = features.LazyPicture(picture, vocabulary)
    for group in descriptors.GROUPS:
        step = descriptors.STEPS[group]
        (described, grid), ms = _least(
            lambda g=group, s=step: (descriptors.describe(picture, g), descriptors.grid(tree.atoms, s)),
            repeats,
        )
        out[f"{group} (B)"] = (ms, None)
        pieces = (vocabulary.books[group], described, grid, tree, size)
        _, every = _least(lambda p=pieces: _derive_codes(*p, np.arange(descriptors.N_CENTRES)), repeats)
        out[f"{group} (D)"] = (every, _one_more(seen, group, repeats))
    return out | _of_a_step(picture, vocabulary, repeats)


def _one_more(seen, group, repeats):
    """Milliseconds of one more centre of a group, computed as in a step: at a middle level."""
    level, first = segments.N_LEVELS // 2, features.first_column(group)
    seen.steps(level, np.array([first]))
    new = iter(range(first + 1, first + 2 + repeats))  # each is computed once, so every run takes another
    return _least(lambda: seen.steps(level, np.array([next(new)])), repeats)[1]


def _of_a_step(picture, vocabulary, repeats):
    """Time of choosing regions and predicting, without features, at a middle level."""
    from spcviz.problems.scene.model.run import structure_of

    structure = structure_of(features.LazyPicture(picture, vocabulary))
    state = predictor.start(structure)
    level, k = segments.N_LEVELS // 2, structure.n_classes
    asked = np.full(15, -1, dtype=np.int32)
    asked[:7] = features.N_COLUMNS + np.arange(7)
    tree = trees.Tree(asked, np.full(15, 20, np.uint8), np.zeros((15, k), np.float32))
    step = predictor.WeakPredictor(level, 0.0, 1.0, (tree,) * boost.BoostSettings.n_trees)
    chosen, select = _least(lambda: predictor.select_regions(structure, state.entropy, level, 0.0), repeats)
    table = np.zeros((len(chosen), features.N_COLUMNS), dtype=np.uint8)
    given = step, structure, features.N_COLUMNS, lambda level, columns: table, state, chosen
    _, predict = _least(lambda: predictor.add(*given), repeats)
    return {"select": (select, None), "predict": (predict, None)}


def _derive_codes(book, described, grid, tree, size, wanted):
    """Codes of some centres, pooled over the regions of all levels."""
    atoms = descriptors.pool(descriptors.codes(book, described, wanted), grid, len(size))
    out = []
    for level in range(1, segments.N_LEVELS):
        share = size / np.bincount(tree.member[level], size)[tree.member[level]].astype(np.float32)
        out.append(descriptors.raise_to(atoms, tree.member[level], share, tree.n_regions(level)))
    return out


def _least(call, repeats, clock=time.process_time):
    """(result, milliseconds of the fastest run)."""
    result, least = call(), np.inf
    for _ in range(repeats):
        start = clock()
        result = call()
        least = min(least, 1000 * (clock() - start))
    return result, least


def everything(picture, vocabulary, repeats=3, clock=time.process_time):
    """Seconds of a clock from a picture's pixels to all features of all its regions."""
    columns = np.arange(features.N_COLUMNS)

    def call():
        seen = features.LazyPicture(picture, vocabulary)
        return [seen.steps(level, columns) for level in range(segments.N_LEVELS)]

    return _least(call, repeats, clock)[1] / 1000
