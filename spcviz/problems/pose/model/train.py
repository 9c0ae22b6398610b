"""Train the pose models from the data folder: pictures to detectors, weights and thresholds.

While weights are learned, a level passes `Settings.n_kept` states per limb on to the next. Thresholds are
tuned afterwards, under `Settings.tolerance`, with the weights fixed.
"""

from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np

from spcviz.problems.pose.data import buffy
from spcviz.problems.pose.model import cascade, detectors, levels, stored

SETTINGS = {
    stored.NAME: (levels.Settings(), tuple(cascade.SUB_MODELS)),
    stored.ARMS: (levels.Settings(n_parts=5, tolerance=None), ("single",)),
}
"""By model: its training settings and its methods. "pose-hand-set" has the detectors of "pose-buffy". The
model of five limbs keeps states for others to choose from, so its thresholds hold a number of states, not a
loss."""


def train(
    settings: levels.Settings,
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
        learn = levels.problems(halves, frames, cells, settings, rng, by_clip) if learns else []
        held_out = levels.clip_problems(dev_fine, dev, settings.n_parts, by_clip)
        model = levels.train_method(model, method, learn, held_out, by_count, rng, learn=learns, tick=tick)
        held_out = levels.clip_problems(dev_fine, dev, settings.n_parts, by_clip)
        hand_set = levels.train_method(hand_set, method, [], held_out, by_count, rng, learn=False)
    trained = [stored.round_weights(_with_methods(m, methods)) for m in (model, hand_set)]
    if settings.tolerance is not None:
        dev_fine = [fine.astype(np.float16) for fine in cascade.detect(trained[0], dev.images)]
        trained = [tune_thresholds(m, settings, dev, dev_fine) for m in trained]
    return tuple(trained)


def tune_thresholds(
    model: cascade.PoseModel, settings: levels.Settings, dev: buffy.PoseClips, fine: list[np.ndarray]
) -> cascade.PoseModel:
    """The model with thresholds for the settings' tolerance on development frames; weights stay."""
    rng = np.random.default_rng(stored.RANDOM_STATE)  # unused, since nothing is learned
    for method in model.weights:
        held_out = levels.clip_problems(fine, dev, settings.n_parts, method != "single")
        model = levels.train_method(model, method, [], held_out, settings, rng, learn=False)
    return stored.round_weights(model)


def _with_methods(model, methods):
    weights, alphas = ({m: table[m] for m in methods} for table in (model.weights, model.alphas))
    return model._replace(weights=weights, alphas=alphas)


def start_model(model, method, scale=1.0):
    """The model with the single frames' weights for every sub-model of a method; its ties times `scale`."""
    weights = np.repeat(model.weights["single"], len(cascade.SUB_MODELS[method]), axis=1)
    weights[..., -3 * model.geometry.n_parts :] *= scale  # three weights of each part's tie come last
    return model._replace(weights=model.weights | {method: weights})
