"""Train the pose cascade: detectors from pictures, then each method's weights and thresholds by level.

A level's weights are learned by the joint update (`joint.train`) on the remaining states, starting from the
hand-set weights and regularised towards them; meanwhile it passes `PoseSettings.n_kept` states per limb on to
the next, and no threshold goes below the mean (0).

Thresholds are tuned afterwards, with the weights fixed. A threshold is the largest alpha that filters the
truth of a tolerated share (`PoseSettings.tolerance`) of the development examples that still had it (thesis,
end of 4.3, joint loss of Definition 4), or the one that keeps a given number of states. Tuned thresholds may
go below 0, under the mean.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from spcviz.engine.thresholds import filtering, rules
from spcviz.engine.thresholds.rule import survives
from spcviz.learning.ensemble import coarse_to_fine, joint
from spcviz.problems.pose.data import body, buffy
from spcviz.problems.pose.model import cascade, detectors, stored


@dataclass(frozen=True)
class PoseSettings:
    """How to train."""

    n_parts: int = 3  # 3, or 5 with lower arms
    n_negatives: int = 100  # random states sampled per picture, half of them near the true one
    detector_c: float = 0.01  # inverse regularisation of the classifiers
    # sets of single pictures (`pictures.ORIGINS`), and the kinds of parts whose detectors see them. On
    # development frames under three windows, with hand-set weights, they make lower arms 2.4 ± 1.5 points
    # better (PCP 0.5), the rest as good; with LSPET for all parts upper arms are 5.6 ± 2.8 worse
    extra: tuple = (("pose_parse", (0, 1, 3)), ("pose_lspet", (3,)))
    extra_weight: float = 0.5  # of each of their pictures; Buffy's have 1
    n_frames: int = 160  # n_frames, n_clips (over time), n_epochs: to learn a level's weights
    n_clips: int = 24
    n_epochs: int = 2
    regularisation: float = 0.02  # regularisation, step: of the joint update
    step: float = 0.02
    train_alpha: float = 0.2  # threshold's alpha while weights are learned
    rule: str = "mean_max"  # or "margin": how thresholds of levels lie below the best
    tolerance: float | None = 0.01  # share of development truths a level may lose; None: see `n_kept`
    # what counts as lost. "score": the true states' summed score is pruned (Definition 4); "near": some limb
    # keeps neither its exact state nor one within `body.NEAR`. By score the last level keeps 31 times as many
    tolerance_kind: str = "near"
    n_kept: int = 1200  # without a tolerance: states per limb that thresholds keep on development frames
    # whether methods over time learn their own weights. On development clips those were worse (elbows 0.5 px
    # farther off than with single frames) than the single frames' weights with ties over time of weight 1
    # (0.5 px nearer), so methods over time do not
    learns_over_time: bool = False
    hand: tuple = (2.0, 0.5, 0.5)  # hand-set weights of detector, place and angle; pairs have 1


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
            fine = [cascade.detect_standardised(half, cells[at]).astype(np.float16) for at in group]
            out.append(ClipProblem(fine, frames.limbs[group], settings.n_parts))
    return out


def clip_problems(fine, frames, n_parts, by_clip):
    """Problems of frames whose scores are known, or of clips if `by_clip`."""
    numbers = frames.clips if by_clip else np.arange(len(frames.clips))
    groups = [np.flatnonzero(numbers == number) for number in np.unique(numbers)]
    return [ClipProblem([fine[at] for at in group], frames.limbs[group], n_parts) for group in groups]


class ClipProblem:
    """A clip whose levels are learned one after another: scores (P, 24, 80, 80) per frame, and limbs."""

    def __init__(self, fine, limbs, n_parts):
        self.fine, self.limbs = fine, limbs[:, :n_parts]
        self.start, self.states = cascade.first_states(len(limbs) * n_parts)

    def models(self, geometry, level, names):
        """Sub-models of the level over the states left."""
        return cascade.sub_models(geometry, self.fine, level, self.start, self.states, names)

    def truths(self, geometry, level, names):
        """Sub-models whose only states are the true ones."""
        states = body.nearest_states(level, self.limbs).ravel()
        start = np.arange(len(states) + 1)
        return cascade.sub_models(geometry, self.fine, level, start, states, names)

    def truth_points(self, filtered, geometry, level, names, weights):
        """Alphas at which a level loses the truth: by score (Definition 4), by state (never earlier)."""
        truths = self.truths(geometry, level, names)
        score = sum(truth.max_marginals(w).best for truth, w in zip(truths, weights))
        exact = body.nearest_states(level, self.limbs).ravel()
        first = np.inf
        for v, state in enumerate(exact):
            at = filtered.of(v)
            hit = filtered.summed[at][filtered.states[at] == state]
            first = min(first, filtered.point(hit[0]) if len(hit) else -np.inf)
        return float(filtered.point(score)), float(first)

    def near_points(self, filtered, level):
        """The same if the true state or a near one suffices: both are the alpha that prunes the last one."""
        first, exact = np.inf, body.nearest_states(level, self.limbs).ravel()
        for v, (state, limb) in enumerate(zip(exact, self.limbs.reshape(-1, 2, 2))):
            at = filtered.of(v)
            states, heights = filtered.states[at], filtered.summed[at]
            limbs = body.limbs_of(level, v % self.limbs.shape[1], states)
            stands = body.is_correct(limbs, limb, body.NEAR) | (states == state)
            if not stands.any():
                return -np.inf, -np.inf
            if not stands[heights.argmax()]:  # a limb's best state is never pruned
                first = min(first, filtered.point(heights[stands].max()))
        return float(first), float(first)

    def refine(self, level, filtered):
        """Continue with the children of a level's survivors; after the last level, with its survivors."""
        if level + 1 < body.N_LEVELS:
            self.start, self.states = coarse_to_fine.refine(filtered, lambda kept: body.children(level, kept))
        else:
            self.start, self.states = coarse_to_fine.survivors(filtered)


def train_method(
    model: cascade.PoseModel,
    method: str,
    train: list[ClipProblem],
    dev: list[ClipProblem],
    settings: PoseSettings,
    rng: np.random.Generator,
    *,
    learn: bool = True,
    tick: Callable | None = None,
) -> cascade.PoseModel:
    """Learn weights (unless `learn` is off) and tune thresholds level by level; consumes the problems."""
    names, geometry = cascade.SUB_MODELS[method], model.geometry
    weights, alphas = model.weights[method].copy(), np.zeros(body.N_LEVELS)
    config = joint.Config(
        alpha=settings.train_alpha,
        regularisation=settings.regularisation,
        n_epochs=settings.n_epochs,
        step=settings.step,
    )
    for level in range(body.N_LEVELS):
        if learn:
            weights[level] = _learn_level(train, geometry, level, names, weights[level], config, rng)
        all_filtered = [
            _filter_level(p, geometry, level, names, weights[level], 0.0, settings.rule) for p in dev
        ]
        if settings.tolerance is None:
            lowest = 0.0 if learn and settings.rule == "mean_max" else -np.inf
            alphas[level] = alpha_for(all_filtered, settings.n_kept, lowest)
        else:
            points = _points(
                dev, all_filtered, geometry, level, names, weights[level], settings.tolerance_kind
            )
            alphas[level] = tolerated_alpha(points, settings.tolerance, settings.rule)
        for problem, filtered in zip(dev, all_filtered):
            problem.refine(level, again(filtered, alphas[level]))
        for problem in train if learn else ():
            kept = _filter_level(
                problem, geometry, level, names, weights[level], alphas[level], settings.rule
            )
            problem.refine(level, kept)
        if tick is not None:
            tick(f"{method} level {level}")
    return cascade.with_method(model, method, weights, alphas)


def _points(dev, all_filtered, geometry, level, names, weights, kind):
    """The alphas at which each problem loses its truth, as the tolerance counts it; see `ClipProblem`."""
    if kind == "near":
        return [p.near_points(f, level) for p, f in zip(dev, all_filtered)]
    return [p.truth_points(f, geometry, level, names, weights) for p, f in zip(dev, all_filtered)]


def losses(model: cascade.PoseModel, method: str, dev: list[ClipProblem], kind: str = "score") -> list[dict]:
    """Percent of the truths reaching each level that are lost at its alpha and at 0; consumes `dev`."""
    names, geometry, out = cascade.SUB_MODELS[method], model.geometry, []
    for level, alpha in enumerate(model.alphas[method]):
        weights = model.weights[method][level]
        all_filtered = [_filter_level(p, geometry, level, names, weights, alpha) for p in dev]
        points = _points(dev, all_filtered, geometry, level, names, weights, kind)
        given = np.array([by_score for by_score, by_state in points if by_state > -np.inf])
        shares = [100 * float((given <= at).mean()) if len(given) else None for at in (alpha, 0.0)]
        out.append({"n_given": len(given), "lost": shares[0], "lost_at_zero": shares[1]})
        for problem, filtered in zip(dev, all_filtered):
            problem.refine(level, filtered)
    return out


def _learn_level(train, geometry, level, names, start, config, rng):
    where = geometry, level, names
    examples = [joint.JointExample(p.models(*where), p.truths(*where)) for p in train]
    trained = joint.train(examples, config, rng, start=start)
    return symmetric(np.array(trained.weights), names, geometry.n_parts)


def symmetric(weights: np.ndarray, names: Sequence[str], n_parts: int) -> np.ndarray:
    """Weights (sub-models, n_weights) averaged with the mirrored body's: left and right share them."""
    other = {body.PARTS[i]: body.PARTS[j] for i, j in enumerate(body.MIRRORED)}
    others = [other.get(name, name) for name in names]
    subs = [names.index(mirrored) if mirrored in names else i for i, mirrored in enumerate(others)]
    parts = list(body.MIRRORED[:n_parts])
    tree = body.TREE[: n_parts - 1]
    joints = [tree.index((body.MIRRORED[i], body.MIRRORED[j])) for i, j in tree]
    rows = [*parts, *(n_parts + k for k in joints), *(n_parts + len(tree) + p for p in parts)]
    table = weights.reshape(len(names), -1, 3)  # a state has as many features as a pair
    return ((table + table[subs][:, rows]) / 2).reshape(weights.shape)


def _filter_level(problem, geometry, level, names, weights, alpha, rule="mean_max"):
    models = problem.models(geometry, level, names)
    return coarse_to_fine.filter_level(models, weights, problem.start, problem.states, alpha, rule=rule)


def again(filtered, alpha):
    """A filtered level under another alpha, without recomputing max-marginals."""
    threshold = filtered.threshold_at(alpha)
    keep = survives(filtered.summed, threshold)
    lost = [span for span in map(filtered.of, range(len(filtered.start) - 1)) if not keep[span].any()]
    for span in lost:
        keep[span.start + filtered.summed[span].argmax()] = True
    return filtered._replace(threshold=threshold, keep=keep, n_rescued=len(lost))


def tolerated_alpha(points: Sequence[tuple[float, float]], tolerance: float, rule: str = "mean_max") -> float:
    """The largest 32-bit setting that loses at most a share of the truths that reach a level.

    >>> round(tolerated_alpha([(0.3, 0.4), (0.1, 0.2), (0.2, -np.inf)], 0.5), 6)
    0.3
    """
    given = np.array([by_score for by_score, by_state in points if by_state > -np.inf])
    alpha = rules.tune_setting(rule, given, tolerance) if len(given) else 0.0
    single = np.float32(alpha)  # as it is stored; rounded up it might lose one more
    return float(single if float(single) <= alpha else np.nextafter(single, np.float32(-np.inf)))


def alpha_for(all_filtered, n_kept, lowest=-np.inf):
    """The alpha that keeps `n_kept` states per variable: a quantile of (mm - mean) / (best - mean)."""
    falls = np.concatenate([f.point(f.summed) for f in all_filtered])
    n_variables = sum(len(f.start) - 1 for f in all_filtered)
    if len(falls) <= n_kept * n_variables:
        return max(lowest, filtering.lowest_alpha(falls))
    return float(np.clip(np.partition(falls, -n_kept * n_variables)[-n_kept * n_variables], lowest, 0.999))


SETTINGS = {
    stored.NAME: (PoseSettings(), tuple(cascade.SUB_MODELS)),
    stored.ARMS: (PoseSettings(n_parts=5, tolerance=None), ("single",)),
}
"""By model: its training settings and its methods. "pose-hand-set" has the detectors of "pose-buffy". The
model of five limbs keeps states for others to choose from, so its thresholds hold a number of states, not a
loss."""


def train(
    settings: PoseSettings,
    methods: Sequence[str] = tuple(cascade.SUB_MODELS),
    *,
    random_state: int = stored.RANDOM_STATE,
    tick: Callable | None = None,
) -> tuple[cascade.PoseModel, cascade.PoseModel]:
    """(Model with learned weights, the same detectors with hand-set ones) for methods, "single" first."""
    tick = tick or (lambda label: None)
    rng, by_count = np.random.default_rng(random_state), replace(settings, tolerance=None)
    folder = stored.data_folder()
    frames = detectors.augment(buffy.load_buffy(folder, "train"), rng)
    extra = detectors.extra_examples(folder, settings)
    tick("pictures")
    hand_set, halves, cells = detectors.detectors_and_halves(frames, extra, settings, rng)
    tick("detectors")
    dev = buffy.load_buffy(folder, "dev")
    dev_fine = [fine.astype(np.float16) for fine in cascade.detect(hand_set, dev.images)]
    model = hand_set
    for number, method in enumerate(methods):
        by_clip = method != "single"
        if by_clip:  # over time: start from the single frames' weights
            model = start_model(model, method)
        rng = np.random.default_rng([random_state, number])
        learns = settings.learns_over_time or not by_clip
        learn = problems(halves, frames, cells, settings, rng, by_clip) if learns else []
        held_out = clip_problems(dev_fine, dev, settings.n_parts, by_clip)
        model = train_method(model, method, learn, held_out, by_count, rng, learn=learns, tick=tick)
        held_out = clip_problems(dev_fine, dev, settings.n_parts, by_clip)
        hand_set = train_method(hand_set, method, [], held_out, by_count, rng, learn=False)
    trained = [stored.round_weights(_with_methods(m, methods)) for m in (model, hand_set)]
    if settings.tolerance is not None:
        dev_fine = [fine.astype(np.float16) for fine in cascade.detect(trained[0], dev.images)]
        trained = [tune_thresholds(m, settings, dev, dev_fine) for m in trained]
    return tuple(trained)


def tune_thresholds(
    model: cascade.PoseModel, settings: PoseSettings, dev: buffy.PoseClips, fine: list[np.ndarray]
) -> cascade.PoseModel:
    """The model with thresholds for the settings' tolerance on development frames; weights stay."""
    rng = np.random.default_rng(stored.RANDOM_STATE)  # unused, since nothing is learned
    for method in model.weights:
        held_out = clip_problems(fine, dev, settings.n_parts, method != "single")
        model = train_method(model, method, [], held_out, settings, rng, learn=False)
    return stored.round_weights(model)


def _with_methods(model, methods):
    weights, alphas = ({m: table[m] for m in methods} for table in (model.weights, model.alphas))
    return model._replace(weights=weights, alphas=alphas)


def start_model(model, method, scale=1.0):
    """The model with the single frames' weights for every sub-model of a method; its ties times `scale`."""
    weights = np.repeat(model.weights["single"], len(cascade.SUB_MODELS[method]), axis=1)
    weights[..., -3 * model.geometry.n_parts :] *= scale  # three weights of each part's tie come last
    return model._replace(weights=model.weights | {method: weights})
