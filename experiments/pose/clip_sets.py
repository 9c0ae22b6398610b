"""The clips that methods over time are compared on: people signing, rendered bodies, every third of Buffy's.

*signs*: each of five people is left out in turn; every third clip of each of the others is for development.
Frames are 0.1 s apart, or 0.2 s. *rendered*: arms move three times as far from frame to frame as in the app's
clips, and something passes in front of the torso or the upper arms; training uses other bodies. *buffy*: the
stored model unchanged, whose ties over time are set by hand.
"""

from collections.abc import Iterator
from dataclasses import asdict, replace
from functools import partial
from pathlib import Path

import numpy as np

from experiments.pose import follow, joint_learning
from experiments.pose.joint_learning import Cut
from spcviz.problems.pose.data import buffy, render, signs
from spcviz.problems.pose.model import cascade, stored
from spcviz.problems.pose.model import detectors as part_detectors
from spcviz.shared.work.disk_cache import load_or_compute
from spcviz.store import digest_of_arrays

STEPS = {"signs": 1, "signs, far apart": 2}
"""Step between the frames used, among those of `detectors.load_clips`, 10 per second."""
CUTS = {"signs": Cut(4, 2, 6), "signs, far apart": Cut(4, 1, 6), "rendered": Cut(8, 1, 12)}
RENDERED = replace(joint_learning.SETTINGS, n_clips=18)
N_FRAMES, STRIDE = 8, 3
SEEDS = {"teach": (20_000, 18), "dev": (30_000, 12), "test": (1000, 150)}
"""First seed and number of rendered clips: from that seed on, those where something passes before a limb."""
N_PARTS = 5  # of the rendered test clips, one per job
BUFFY_EVERY = 3  # step between test clips: with alphas of 0 over time, all methods take a second per frame
MODULES = ("experiments.pose.clip_sets",)


def of_person(
    model: cascade.PoseModel, kind: str, person: str, work: str | Path | None = None, quick: bool = False
) -> list[dict]:
    """`joint_learning.measure_model` on one person's clips (kind: of `STEPS`), learned from the others'."""
    settings, cut = joint_learning.settings_for(quick=quick), CUTS[kind]
    about = _about(model, settings) | {"clips": f"{kind}-{person}".replace(", ", "-").replace(" ", "-")}
    about |= {"step": STEPS[kind], "data": signs.SHIPPED_SHA256}
    fold = next(fold for fold in signs.folds() if fold.person == person)

    def make():
        clips = {name: thin_clip(clip, STEPS[kind]) for name, clip in part_detectors.load_clips(work).items()}
        teach, dev = ([clips[name] for name in names] for names in teachers(fold))
        learnt = joint_learning.learn(model, teach, dev, cut, settings, work=work, about=about)
        return joint_learning.measure_model(learnt, [clips[name] for name in fold.test], cut)

    return load_or_compute(work, f"pose-ensemble-{about['clips']}", about, MODULES, make)


def teachers(fold):
    """(training clips, development clips) of a fold: every third clip of each person is held out.

    >>> teach, dev = teachers(signs.folds()[0])
    >>> len(teach), len(dev), set(teach) & set(dev)
    (8, 6, set())
    """
    of = dict(zip(signs.load_reference().clips, signs.load_reference().persons))
    dev = [
        name for person in signs.PERSONS for name in [clip for clip in fold.train if of[clip] == person][::3]
    ]
    return [name for name in fold.train if name not in dev], dev


def thin_clip(clip: part_detectors.Clip, step: int) -> part_detectors.Clip:
    """Every `step`-th frame of a clip."""
    return clip._replace(cells=clip.cells[::step], limbs=clip.limbs[::step], is_seen=clip.is_seen[::step])


def of_rendered(
    model: cascade.PoseModel, part: int, work: str | Path | None = None, quick: bool = False
) -> list[dict]:
    """`joint_learning.measure_model` on one of `N_PARTS` of the rendered test clips."""
    settings, cut = joint_learning.settings_for(RENDERED, quick), CUTS["rendered"]
    about = _about(model, settings) | {"clips": "rendered", "seeds": SEEDS, "every": STRIDE}

    def make():
        teach, dev = (list(render_clips(*SEEDS[name])) for name in ("teach", "dev"))
        learnt = joint_learning.learn(model, teach, dev, cut, settings, work=work, about=about)
        first, n = SEEDS["test"]
        clips = render_clips(first, 2 * N_PARTS if quick else n)
        chosen = (clip for number, clip in enumerate(clips) if number % N_PARTS == part)
        return joint_learning.measure_model(learnt, chosen, cut)

    key = about | {"part": part, "n_parts": N_PARTS, "quick": quick}
    return load_or_compute(work, f"pose-ensemble-rendered-{part}", key, MODULES, make)


def render_clips(first: int, n: int) -> Iterator[part_detectors.Clip]:
    """`n` rendered clips in which something passes before torso or upper arms, from seed `first` on.

    >>> [clip.name for clip in render_clips(1000, 2)]
    ['1003', '1004']
    """
    seed = first
    while n:
        clip = render.render_clip(seed, N_FRAMES * STRIDE, every=STRIDE)
        if clip.is_hidden[:, :3].any():
            yield part_detectors.of_pictures(
                str(seed), clip.images, clip.limbs, np.ones(clip.limbs.shape[:2], bool)
            )
            n -= 1
        seed += 1


def of_buffy(model: cascade.PoseModel, work: str | Path | None = None, quick: bool = False) -> list[dict]:
    """Results of every method of the stored model on Buffy's clips, as in `joint_learning.measure_model`."""
    test = buffy.load_buffy(stored.data_folder(), "test")
    numbers = np.unique(test.clips)[:: 9 if quick else BUFFY_EVERY]
    key = {"data": test.digest(), "quick": quick, "model": stored.digest_of(model)}
    return load_or_compute(
        work, "pose-ensemble-buffy", key, MODULES, partial(_of_buffy, model, test, numbers)
    )


def _of_buffy(model, test, numbers):
    by_method = {method: [] for method in cascade.SUB_MODELS}
    for number in numbers:
        clip = test.pick(test.clips == number)
        fine, detect = follow.detect(model, clip.images)
        for method, rows in by_method.items():
            figures = follow.follow(model, fine, clip.limbs, method)
            rows.append({"clip": str(number), "detect_ms": detect} | figures)
    ties = dict.fromkeys(cascade.SUB_MODELS, "hand-set") | {"single": "none"}
    return [{"method": m, "ties": ties[m], "found": rows} for m, rows in by_method.items()]


def _about(model, settings):
    """Everything that learning depends on, except the clips."""
    detectors = {str(part): weights for part, weights in model.detectors.items()}
    return {"settings": asdict(settings), "detectors": digest_of_arrays(detectors)}
