"""Python side of the view of Scenes at any time: a street labelled as time passes (scene.js).

The browser gets the whole trajectory (labels and entropy of every atom after every step), so dragging the
time needs no server.
"""

import numpy as np

from spcviz.problems.scene.shown import CLASSES, COLOURS, GROUP_WORDS, GROUPS, LONGER, SceneCourse
from spcviz.web.figures.palette import by_theme
from spcviz.web.view.mount import Component, PackedPart, packed_of, runs, viewer

VIEW_NAMES = ("spend", "show")
"""The browser's state: `spend`, a share of the longer trajectory, and the overlay of the left picture."""
SHOWN = ("labels", "regions", "entropy", "errors", "picture")
SCENE = Component(
    "spcviz_scene",
    ("web/view/bar.css", "web/view/more.css", "problems/scene/view/scene.css"),
    (
        "web/view/elements.js",
        "web/view/view.js",
        "web/view/more.js",
        "problems/scene/view/scene_core.js",
        "problems/scene/view/scene.js",
    ),
    VIEW_NAMES,
)
show_scene = viewer(SCENE)
_MOST_ENTROPY = float(np.log(len(CLASSES)))


def course_payload(course):
    """A `Course`: labels atom by atom (few change by step), entropy in 255 steps of its greatest value."""
    return {
        "name": course.name,
        "label": course.label,
        "ms": np.round(1000 * np.asarray(course.seconds), 3).tolist(),
        "labels": runs(np.transpose(course.labels)),
        "entropy": np.round(255 * np.clip(course.entropy / _MOST_ENTROPY, 0, 1)).astype(np.uint8),
        "accuracy": None if course.accuracy is None else np.round(course.accuracy, 3).tolist(),
    }


def opening_share(scene: SceneCourse) -> float:
    """`spend` after a third of the anytime predictor's time: another share on every machine."""
    sim, him = np.asarray(scene.sim.seconds), float(scene.him.seconds[0])
    step = int(np.searchsorted(sim, sim[0] + (sim[-1] - sim[0]) / 3, side="right")) - 1
    return round(float((sim[step] + 1e-6) / (LONGER * max(sim[-1], him))), 6)


def scene_part(scene: SceneCourse) -> dict:
    """A picture with its trajectories, as arrays and JSON values."""
    tall, wide = scene.atoms.shape
    chosen = scene.choices
    return {
        "title": scene.title,
        "size": [wide, tall],
        "picture": np.ascontiguousarray(scene.picture),
        "atoms": runs(scene.atoms),
        "truth": None if scene.truth is None else scene.truth.astype(np.uint8),
        "regions_ms": round(1000 * float(scene.regions_seconds), 3),
        "courses": [course_payload(course) for course in (scene.sim, scene.him)],
        "level": chosen.level.tolist(),
        "theta": np.round(chosen.theta, 3).tolist(),
        "updated": np.packbits(chosen.is_updated, axis=1, bitorder="little"),
        "counts": np.stack([chosen.n_updated, chosen.n_regions], axis=1).tolist(),
        "bought": chosen.bought.tolist(),
        "begun": chosen.is_begun.astype(int).tolist(),
    }


def scene_payload(scene: SceneCourse, identity: str) -> tuple[dict, dict[str, PackedPart]]:
    """The payload of every run, and the parts sent once; `identity` is the picture's and the models'."""
    constant = {
        "classes": list(CLASSES),
        "colours": list(COLOURS),
        "groups": list(GROUPS),
        "group_words": GROUP_WORDS,
        "lines": by_theme(lambda palette: [palette.kept, palette.threshold]),
        "most_entropy": _MOST_ENTROPY,
    }
    return {"identity": identity} | constant, {"scene": packed_of(scene, scene_part)}
