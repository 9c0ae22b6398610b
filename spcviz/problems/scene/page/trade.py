"""Spend one budget on many street pictures: a selector chooses which get the expensive features.

This is not SIM, which spends on regions: whole pictures are lifted from one machine to the next (thesis,
chapter 6, Algorithm 3; machines of Fig. 2 of SpeedMachines) by a selector that predicts how many pixels the
next one corrects. It learns from validation pictures, from which no machine has learned, so it sees the gains
to expect on new pictures.
"""

import base64
import io
import time
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from spcviz.engine import checks
from spcviz.learning.budgets import batch_selection, selector
from spcviz.learning.budgets.batch_selection import Looked
from spcviz.learning.speedboost import hierarchy
from spcviz.learning.speedboost.structure import entropies
from spcviz.problems.budgets.compare import Batch, spell_readings, trade_off
from spcviz.problems.scene.data import camvid
from spcviz.problems.scene.model import features, run, train
from spcviz.problems.scene.model.stored import SceneModel
from spcviz.problems.scene.page import live
from spcviz.problems.scene.shown import CLASSES, COLOURS, TERMS, TIERS, TRADED, MarkedPictures

STEP = 10  # pixels between the places of a picture that are counted as right or wrong
N_TOGETHER = 12  # successive validation pictures that stay together in cross-validation
ALPHABET = "abcdefghijk"  # a symbol for each class
_SURE, _UNSURE = 0.5, 1.0  # nats of entropy


class Whole(NamedTuple):
    """Pictures for which features are bought only as a whole."""

    starts: np.ndarray  # (W + 1,): of each picture's places
    shape: tuple  # places, and tiers


def meta_of(shares: list[np.ndarray], size: np.ndarray, example: np.ndarray) -> np.ndarray:
    """Meta-features of pictures after each machine but the last, (n, T - 1, 28): means over pixels of margin,
    entropy, unsure, very unsure and classes, and their changes from the machine before.
    """
    weight = size / np.bincount(example, size)[example]
    out = []
    for share in shares[:-1]:
        entropy, two = entropies(share), np.sort(share, axis=1)[:, -2:]
        rows = [two[:, 1] - two[:, 0], entropy, entropy > _SURE, entropy > _UNSURE, *share.T]
        out.append(np.stack([np.bincount(example, weight * row) for row in rows], axis=1))
    return selector.with_differences(np.stack(out, axis=1)[:, :, :-1])  # the last share follows from others


def look(scenes, machines: Sequence[list[hierarchy.Stage]]):
    """Pictures unseen in training, labelled by every tier's machine: `Looked`, losses in percent wrong."""
    structure, counts = scenes.structure, scenes.counts
    shares = []
    for stages in machines:
        *_, share = run.shares_of(stages, structure)
        shares.append(share)
    known = np.bincount(structure.example, counts.sum(axis=1))
    atoms = np.arange(len(counts))
    right = [np.bincount(structure.example, counts[atoms, share.argmax(axis=1)]) for share in shares]
    lost = 100 * (1 - np.stack(right, axis=1) / np.maximum(known, 1)[:, None])
    group = np.arange(len(known)) // N_TOGETHER
    return Looked(meta_of(shares, structure.size, structure.example), lost, None, group)


def learn(looked, rng):
    """A `Selector` of the percentage of pixels that each next machine corrects, from a result of `look`."""
    return batch_selection.choose(looked, np.ones((1, len(TIERS) - 1)), rng).selector


def draw(kind: str, n: int, seed: int) -> list[camvid.StreetScene]:
    """Pictures of a random batch, "rendered" or "camvid"."""
    rng = np.random.default_rng(checks.integer("seed", seed, 0, 2**31))
    n = checks.integer("n", n, 1, 100)
    if kind == "camvid":
        names = camvid.names_of("test")
        return [live.camvid(names[k]) for k in np.sort(rng.choice(len(names), n, replace=False))]
    return [live.render_scene(int(street)) for street in np.sort(rng.choice(10_000, n, replace=False))]


def compare(model: SceneModel, scenes: list[camvid.StreetScene], seed: int):
    """Every method on some pictures with truth: a `TradeOff`; `seed` sets the random orders."""
    machines = [model.machines[tier.key] for tier in TIERS]
    all_seen, ms = [_all_of(scene.picture, model.vocabulary) for scene in scenes], []
    shares = []
    for stages in machines:
        start = time.perf_counter()
        shares.append([run.last_share(stages, seen) for seen in all_seen])
        ms.append(1000 * (time.perf_counter() - start) / len(scenes))
    places = [_places(scene.truth) for scene in scenes]
    starts = np.concatenate([[0], np.cumsum([len(points) for points in places])])
    truth = np.concatenate([scene.truth[points[:, 0], points[:, 1]] for scene, points in zip(scenes, places)])
    labels = np.array([_labels(tier_shares, all_seen, places) for tier_shares in shares])
    values = _values(model.selector, shares, all_seen, np.random.default_rng([seed, 11]))
    loss = np.add.reduceat(labels != truth, starts[:-1], axis=1)
    values["oracle"] = (loss[:-1] - loss[1:]).T.astype(float)
    us = 1000 * (np.array(feature_ms())[1:] + ms[1:])
    lengths = np.repeat(np.diff(starts), np.diff(starts))
    return trade_off(
        Batch(
            world=Whole(starts, (len(truth), len(TIERS))),
            labels=labels,
            values=values,
            learned=None,
            feature_us=us / lengths[:, None],
            costs=None,
            read=lambda: _meta([[run.last_share(machines[0], seen) for seen in all_seen]] * 2, all_seen),
            alphabet=ALPHABET,
        ),
        TRADED,
        TERMS,
        task="scene",
        chain_ids=np.arange(len(scenes)),
        truths=spell_readings(truth, starts, ALPHABET),
        faults=(truth[:, None] != np.arange(camvid.N_CLASSES)).astype(np.uint8),
        tier_names=tuple(tier.name for tier in TIERS),
        tier_short=tuple(tier.short for tier in TIERS),
        drawn=MarkedPictures(
            sources=tuple(_pack_picture(scene.picture) for scene in scenes),
            titles=tuple(scene.name for scene in scenes),
            places=np.concatenate(places)[:, ::-1],
            step=STEP,
            names=CLASSES,
            colours=COLOURS,
        ),
    )


def feature_ms():
    """Milliseconds that each tier's own features take, as the stored result ``scene-costs`` has them."""
    known, spent, out = features.load_costs(), set(), []
    for tier in TIERS:
        new = [group for group in train.LIMITED[tier.key] if group not in spent]
        spent |= set(new)
        pieces = [piece for group in new for piece in (group, f"{group} (B)", f"{group} (D)")]
        out.append(sum(known[piece]["ms"] for piece in pieces if piece in known))
    return out


def _all_of(picture, vocabulary):
    seen = features.LazyPicture(picture, vocabulary)
    for level in range(len(seen.hierarchy.member)):
        seen.steps(level, np.arange(features.N_COLUMNS))
    return seen


def _places(truth):
    """(row, column) of every `STEP`-th pixel whose class is known: ndarray of int, shape (n, 2)."""
    rows, columns = (np.arange(STEP // 2, side, STEP) for side in truth.shape)
    grid = np.stack(np.meshgrid(rows, columns, indexing="ij"), axis=-1).reshape(-1, 2)
    return grid[truth[grid[:, 0], grid[:, 1]] < camvid.N_CLASSES]


def _labels(shares, all_seen, places):
    """A machine's labels of the places of all pictures."""
    atoms = (seen.hierarchy.atoms[tuple(points.T)] for seen, points in zip(all_seen, places))
    return np.concatenate([share.argmax(axis=1)[atom] for share, atom in zip(shares, atoms)])


def _meta(shares, all_seen):
    """`meta_of` several separate pictures, which may have any number of atoms."""
    size = np.concatenate([seen.size for seen in all_seen])
    example = np.repeat(np.arange(len(all_seen)), [len(seen.size) for seen in all_seen])
    return meta_of([np.concatenate(tier_shares) for tier_shares in shares], size, example)


def _values(fitted, shares, all_seen, rng):
    """Values of each picture's next tier by the key of a method."""
    meta = _meta(shares, all_seen)
    n, n_more = meta.shape[:2]
    at_once = np.full((n, n_more), 1e6)
    at_once[:, 0] = -meta[:, 0, 0]  # the least margin first; the steps after the first come at once
    return {
        "dms": selector.predict_values(fitted, meta),
        "least_sure": at_once,
        "uniform_arms": selector.uniform_values(n, n_more, rng),
        "uniform_loose": selector.uniform_values(n, n_more, rng, synchronised=False),
    }


def _pack_picture(picture):
    from PIL import Image

    file = io.BytesIO()
    Image.fromarray(picture).save(file, "WEBP", quality=70)
    return "data:image/webp;base64," + base64.b64encode(file.getvalue()).decode()
