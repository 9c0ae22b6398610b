"""Train the pose cascade: detectors, geometry, weights of every level, thresholds.

Detectors are linear classifiers of true states against random ones. The weights of a level are learned by the
joint update (`ensemble_cascade.train`) on the states that the levels before left over, from the hand-set
weights on and regularised towards them. Thresholds: the alpha of each level at which development frames keep
`n_kept` states a limb, 1200 as in the thesis (87.5, 96.9 and 99.2 % of the levels' own grids pruned).
"""

from dataclasses import dataclass

import numpy as np
from sklearn.linear_model import LogisticRegression

from spcviz.engine import templates
from spcviz.experiments import pose as cascade
from spcviz.learning import coarse_to_fine, ensemble_cascade
from spcviz.tasks import pose, pose_data, pose_features, pose_geometry


@dataclass(frozen=True)
class Settings:
    """How to train.

    Attributes
    ----------
    n_parts : int
        3, or 5 with lower arms.
    n_negatives : int
        Random states drawn a picture, half of them near the true one.
    detector_c : float
        Inverse regularisation of the classifiers.
    n_frames, n_clips, n_epochs : int
        Training frames (clips for methods over time) and passes for the weights of a level.
    regularisation, step : float
        Of the joint update.
    train_alpha : float
        Threshold's alpha while weights are learned.
    n_kept : int
        States a limb that thresholds let through on development frames.
    learns_over_time : bool
        Whether methods over time learn weights of their own. On development clips that was worse (elbows
        0.5 px farther off than with single frames) than single frames' weights with ties over time at 1
        (0.5 px nearer), so they do not.
    hand : tuple of float
        Hand-set weights of detector, place and angle; pairs have 1.
    """

    n_parts: int = 3
    n_negatives: int = 100
    detector_c: float = 0.01
    n_frames: int = 160
    n_clips: int = 24
    n_epochs: int = 2
    regularisation: float = 0.02
    step: float = 0.02
    train_alpha: float = 0.2
    n_kept: int = 1200
    learns_over_time: bool = False
    hand: tuple = (2.0, 0.5, 0.5)


def augmented(clips, rng):
    """Training frames as they are, and mirrored ones whose window is as unsure as a detector's."""
    other = pose_data.jittered(pose_data.mirrored(clips), rng)
    return pose_data.PoseClips(
        np.concatenate([clips.images, other.images]),
        np.concatenate([clips.limbs, other.limbs]),
        np.concatenate([clips.clips, other.clips + clips.clips.max() + 1]),
        (*clips.names, *(f"mirrored {name}" for name in other.names)),
    )


def augmented_limbs(clips):
    """Limbs of training frames and of their mirrored pictures: what a mean pose is taken over."""
    return np.concatenate(
        [clips.limbs, pose_data.mirrored(clips._replace(images=clips.images[:, :1, :1])).limbs]
    )


def train_detectors(cells, limbs, settings, rng):
    """One linear template for each kind of part.

    Parameters
    ----------
    cells : ndarray, shape (N, 80, 80, 12)
    limbs : ndarray, shape (N, 5, 2, 2)
    settings : Settings
    rng : numpy.random.Generator

    Returns
    -------
    dict of int to ndarray, shape (T, 12)
    """
    detectors = {}
    for part in (0, 1, 3)[: 2 + (settings.n_parts == 5)]:
        seen, is_true = [], []
        for picture, truth in zip(cells, limbs):
            sides = {0: (0,), 1: (1, 2), 3: (3, 4)}[part]
            for side in sides:  # the right arm in a mirror is a left arm
                own, limb = (picture, truth[part]) if side == part else _mirror(picture, truth[side])
                states, good = _examples(part, limb, settings.n_negatives // len(sides), rng)
                angle, row, column = pose.grid(6).unpacked(states)
                seen.append(templates.gather(own, pose_features.turned(part), row, column, angle))
                is_true.append(good)
        classifier = LogisticRegression(C=settings.detector_c, class_weight="balanced", max_iter=80, tol=1e-3)
        classifier.fit(np.concatenate(seen), np.concatenate(is_true))
        detectors[part] = classifier.coef_[0].reshape(-1, pose_features.N_BINS).astype(np.float64)
    return detectors


def _mirror(cells, limb):
    """Histograms and limb of the mirrored picture."""
    turned = limb.copy()
    turned[:, 0] = pose.SIDE - turned[:, 0]
    return cells[:, ::-1, ::-1], turned


def _examples(part, limb, n, rng):
    """(states, which are true): the true one and random ones not near it."""
    cells = pose.grid(6)
    true = pose.nearest_states(6, limb)
    _, row, column = cells.unpacked(true)
    near = cells.packed(
        rng.integers(0, pose.N_ANGLES, n // 2),
        np.clip(row + rng.integers(-14, 15, n // 2), 0, cells.rows - 1),
        np.clip(column + rng.integers(-14, 15, n // 2), 0, cells.columns - 1),
    )
    drawn = np.concatenate([rng.integers(0, cells.n_states, n - n // 2), near])
    drawn = drawn[~pose.is_correct(pose.limbs_of(6, part, drawn), limb, 0.5)]
    return np.concatenate([[true], drawn]), np.arange(len(drawn) + 1) == 0


def untrained(detectors, cells, limbs, clips, settings):
    """A model with hand-set weights and thresholds at the mean.

    Parameters
    ----------
    detectors : dict
    cells : ndarray, shape (N, 80, 80, 12)
        Some training pictures: where detectors are standardised.
    limbs, clips : ndarray
        All training frames: where geometry is fitted.
    settings : Settings

    Returns
    -------
    pose.PoseModel
    """
    scores = np.stack([pose_features.responses(own, detectors) for own in cells])
    geometry = pose_geometry.fit(limbs, clips, settings.n_parts)
    axes = (0, 2, 3, 4)
    own = np.tile(settings.hand, settings.n_parts)
    hand = np.concatenate([own, np.ones(3 * len(geometry.joints.mean))])
    return cascade.PoseModel(
        detectors, scores.mean(axes), scores.std(axes), geometry,
        {m: np.tile(hand, (pose.N_LEVELS, len(subs), 1)) for m, subs in cascade.SUB_MODELS.items()},
        {method: np.zeros(pose.N_LEVELS) for method in cascade.SUB_MODELS},
    )  # fmt: skip


def detectors_and_halves(cells, frames, settings, rng):
    """The model with hand-set weights, and two whose detectors have not seen half of the clips.

    Weights learned on the pictures that detectors were trained on would trust detectors too much.

    Returns
    -------
    pose.PoseModel
    halves : list of (pose.PoseModel, ndarray of int)
        The frames that a model's detectors have not seen.
    """
    some = np.sort(rng.permutation(len(cells))[:40])
    n = len(frames.clips) // 2  # the second half are the same pictures in a mirror
    in_first = np.tile(frames.clips[:n] % 2 == 0, 2)
    halves = []
    for unseen in (in_first, ~in_first):
        at = np.flatnonzero(~unseen)
        detectors = train_detectors(cells[at], frames.limbs[at], settings, rng)
        half = untrained(detectors, cells[some], frames.limbs, frames.clips, settings)
        halves.append((half, np.flatnonzero(unseen)))
    detectors = train_detectors(cells, frames.limbs, settings, rng)
    return untrained(detectors, cells[some], frames.limbs, frames.clips, settings), halves


def problems(halves, frames, cells, settings, rng, by_clip):
    """Training problems whose detectors have not seen them: frames, or clips if `by_clip`."""
    out = []
    for half, unseen in halves:
        if by_clip:
            chosen = rng.permutation(np.unique(frames.clips[unseen]))[: settings.n_clips // 2]
            groups = [unseen[frames.clips[unseen] == clip] for clip in np.sort(chosen)]
        else:
            groups = np.sort(rng.permutation(unseen)[: settings.n_frames // 2])[:, None]
        for group in groups:
            fine = [cascade.standardised(half, cells[at]).astype(np.float16) for at in group]
            out.append(Problem(fine, frames.limbs[group], settings.n_parts))
    return out


def clip_problems(fine, frames, n_parts, by_clip):
    """Problems of frames whose scores are known, or of clips if `by_clip`."""
    numbers = frames.clips if by_clip else np.arange(len(frames.clips))
    groups = [np.flatnonzero(numbers == number) for number in np.unique(numbers)]
    return [Problem([fine[at] for at in group], frames.limbs[group], n_parts) for group in groups]


class Problem:
    """A clip while its levels are learned one after another.

    Parameters
    ----------
    fine : sequence of ndarray, shape (P, 24, 80, 80)
    limbs : ndarray, shape (frames, 5, 2, 2)
    n_parts : int
    """

    def __init__(self, fine, limbs, n_parts):
        self.fine, self.limbs = fine, limbs[:, :n_parts]
        self.start, self.states = cascade.first_states(len(limbs) * n_parts)

    def models(self, geometry, level, names):
        """Sub-models of the level over the states left."""
        return cascade.sub_models(geometry, self.fine, level, self.start, self.states, names)

    def truths(self, geometry, level, names):
        """Sub-models whose only states are the true ones."""
        states = pose.nearest_states(level, self.limbs).ravel()
        start = np.arange(len(states) + 1)
        return cascade.sub_models(geometry, self.fine, level, start, states, names)

    def refine(self, level, found):
        """Go on with the children of what a level kept, after the last with what it kept."""
        if level + 1 < pose.N_LEVELS:
            self.start, self.states = coarse_to_fine.refine(found, lambda own: pose.children(level, own))
        else:
            self.start, self.states = coarse_to_fine.survivors(found)


def train_method(model, method, train, dev, settings, rng, *, learn=True, tick=None):
    """Weights and thresholds of one method, level by level.

    Parameters
    ----------
    model : pose.PoseModel
        Its weights of the method are where learning starts.
    method : str
        A key of `pose.SUB_MODELS`.
    train, dev : list of Problem
        Fresh ones; they are used up.
    settings : Settings
    rng : numpy.random.Generator
    learn : bool
        False keeps the hand-set weights and tunes thresholds only.
    tick : callable, optional
        Called with a label after every level.

    Returns
    -------
    pose.PoseModel
    """
    names, geometry = cascade.SUB_MODELS[method], model.geometry
    weights, alphas = model.weights[method].copy(), np.zeros(pose.N_LEVELS)
    config = ensemble_cascade.Config(
        settings.train_alpha, settings.regularisation, settings.n_epochs, settings.step, margin=None
    )
    for level in range(pose.N_LEVELS):
        if learn:
            weights[level] = _learned(train, geometry, level, names, weights[level], config, rng)
        found = [_filtered(p, geometry, level, names, weights[level], 0.0) for p in dev]
        alphas[level] = alpha_for(found, settings.n_kept)
        for problem, level_found in zip(dev, found):
            problem.refine(level, again(level_found, alphas[level]))
        for problem in train if learn else ():
            kept = _filtered(problem, geometry, level, names, weights[level], alphas[level])
            problem.refine(level, kept)
        if tick is not None:
            tick(f"{method} level {level}")
    return model._replace(weights=model.weights | {method: weights}, alphas=model.alphas | {method: alphas})


def _learned(train, geometry, level, names, start, config, rng):
    """Weights of a level on the states that are left."""
    examples = [
        ensemble_cascade.Example(p.models(geometry, level, names), p.truths(geometry, level, names))
        for p in train
    ]
    trained = ensemble_cascade.train(examples, config, rng, start=start)
    return symmetric(np.array(trained.weights), names, geometry.n_parts)


def symmetric(weights, names, n_parts):
    """Weights averaged with those of the mirrored body: left and right are learned as one.

    Parameters
    ----------
    weights : ndarray, shape (sub-models, n_weights)
    names : sequence of str
        Limb that each sub-model ties over time.
    n_parts : int

    Returns
    -------
    ndarray, shape (sub-models, n_weights)
    """
    other = {pose.PARTS[i]: pose.PARTS[j] for i, j in enumerate(pose.MIRRORED)}
    subs = [names.index(other.get(name, name)) if other.get(name, name) in names else i
            for i, name in enumerate(names)]  # fmt: skip
    parts = list(pose.MIRRORED[:n_parts])
    tree = pose.TREE[: n_parts - 1]
    joints = [tree.index((pose.MIRRORED[i], pose.MIRRORED[j])) for i, j in tree]
    rows = [*parts, *(n_parts + k for k in joints), *(n_parts + len(tree) + p for p in parts)]
    table = weights.reshape(len(names), -1, 3)  # as many features a state as a pair
    return ((table + table[subs][:, rows]) / 2).reshape(weights.shape)


def _filtered(problem, geometry, level, names, weights, alpha):
    models = problem.models(geometry, level, names)
    return coarse_to_fine.filter_level(models, weights, problem.start, problem.states, alpha)


def again(found, alpha):
    """A filtered level under another alpha, without computing max-marginals anew."""
    threshold = found.best - (1.0 - alpha) * (found.best - found.mean)
    keep = found.summed > threshold
    for v in range(len(found.start) - 1):
        own = found.of(v)
        if not keep[own].any():
            keep[own.start + found.summed[own].argmax()] = True
    return found._replace(threshold=threshold, keep=keep)


def alpha_for(found, n_kept):
    """The alpha at which levels of several clips keep `n_kept` states a variable on average.

    Each state falls at alpha = (mm - mean) / (best - mean): the answer is a quantile of those.
    """
    falls = np.concatenate([(f.summed - f.mean) / (f.best - f.mean) for f in found])
    n_variables = sum(len(f.start) - 1 for f in found)
    if len(falls) <= n_kept * n_variables:
        return 0.0
    return float(np.clip(np.partition(falls, -n_kept * n_variables)[-n_kept * n_variables], 0.0, 0.999))
