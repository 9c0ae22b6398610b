"""Train the pose models from the data folder: pictures to detectors, weights and thresholds."""

import numpy as np

from spcviz.problems.pose import cascade, data, detectors, levels, models

SETTINGS = {
    models.NAME: (levels.Settings(), tuple(cascade.SUB_MODELS)),
    models.ARMS: (levels.Settings(n_parts=5), ("single",)),
}
"""By model: how it is trained, and which methods. "pose-hand-set" has the detectors of "pose-buffy"."""


def train(settings, methods=tuple(cascade.SUB_MODELS), *, random_state=models.RANDOM_STATE, tick=None):
    """Everything from pictures on.

    Parameters
    ----------
    settings : levels.Settings
    methods : sequence of str
        Keys of `cascade.SUB_MODELS`, "single" first; the model has no others.
    random_state : int
    tick : callable, optional
        Called with a label after every part.

    Returns
    -------
    cascade.PoseModel
        With learned weights.
    hand_set : cascade.PoseModel
        The same detectors, weights as set by hand.
    """
    tick = tick or (lambda label: None)
    rng = np.random.default_rng(random_state)
    folder = models.data_folder()
    frames = detectors.augmented(data.load_buffy(folder, "train"), rng)
    extra = detectors.extra_examples(folder, settings)
    tick("pictures")
    hand_set, halves, cells = detectors.detectors_and_halves(frames, extra, settings, rng)
    tick("detectors")
    dev = data.load_buffy(folder, "dev")
    dev_fine = [fine.astype(np.float16) for fine in cascade.detect(hand_set, dev.images)]
    model = hand_set
    for number, method in enumerate(methods):
        by_clip = method != "single"
        if by_clip:  # over time: on from what single frames have taught
            model = started(model, method)
        rng = np.random.default_rng([random_state, number])
        learns = settings.learns_over_time or not by_clip
        learn = levels.problems(halves, frames, cells, settings, rng, by_clip) if learns else []
        held_out = levels.clip_problems(dev_fine, dev, settings.n_parts, by_clip)
        model = levels.train_method(model, method, learn, held_out, settings, rng, learn=learns, tick=tick)
        held_out = levels.clip_problems(dev_fine, dev, settings.n_parts, by_clip)
        hand_set = levels.train_method(hand_set, method, [], held_out, settings, rng, learn=False)
    return tuple(models.rounded(_with_methods(m, methods)) for m in (model, hand_set))


def _with_methods(model, methods):
    weights, alphas = ({m: table[m] for m in methods} for table in (model.weights, model.alphas))
    return model._replace(weights=weights, alphas=alphas)


def started(model, method):
    """The model with the single frames' weights for every sub-model of a method."""
    n = len(cascade.SUB_MODELS[method])
    return model._replace(weights=model.weights | {method: np.repeat(model.weights["single"], n, axis=1)})
