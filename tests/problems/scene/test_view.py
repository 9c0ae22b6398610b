"""A course in the browser: the step at each time, and labels that arrive unchanged."""

import numpy as np
import pytest

from spcviz.problems.budgets.view.component import TRADE_OFF
from spcviz.problems.scene.page import cached
from spcviz.problems.scene.shown import Choices, Course, MarkedPictures, SceneCourse
from spcviz.problems.scene.view.component import opening_share, scene_part
from spcviz.web.view.mount import script
from tests.node import needs_node, run_node

BODY = """
const s = core.laidOut(data.scene), sim = s.courses[0], sizes = core.sizesOf(s.atoms), n = sizes.length;
const out = new Uint8ClampedArray(4 * s.atoms.length), strength = new Float32Array(n).fill(1);
strength[0] = -1;
const tints = new Float32Array(3 * n).fill(200);
core.overlay(out, s.picture, s.atoms, tints, strength);
console.log(JSON.stringify({
  atoms: [...s.atoms], steps: data.times.map((t) => core.stepAt(sim.ms, t)), sizes: [...sizes],
  labels: sim.ms.map((_, k) => [...core.rowOf(sim.labels, k, n)]),
  set: sim.ms.map((_, k) => [...sizes].map((_, a) => core.isSet(s.updated, k, a, s.updated.length / 3))),
  shares: [...core.sharesOf(core.rowOf(sim.labels, 1, n), sizes, 11)],
  mean: core.meanOf(core.rowOf(sim.entropy, 1, n), sizes),
  agree: core.agreement(core.rowOf(sim.labels, 0, n), core.rowOf(sim.labels, 1, n), sizes),
  painted: [...out],
}));
"""


def scene(rng, n=11, s=3):
    atoms = np.concatenate([np.arange(n), rng.integers(n, size=37)]).reshape(6, 8).astype(np.uint16)
    labels = rng.integers(11, size=(s, n)).astype(np.uint8)
    course = Course("sim", "SIM", np.array([0.01, 0.02, 0.04]), labels, rng.random((s, n)) * 2, None)
    him = Course("him", "HIM", np.array([0.03]), labels[:1], rng.random((1, n)), None)
    choices = Choices(
        np.array([3, 0, 5]), np.zeros(s), rng.random((s, n)) < 0.4, np.ones(s, int), np.full(s, 9),
        np.tile(np.arange(5), (s, 1)), np.ones((s, 5), bool),
    )  # fmt: skip
    picture = rng.integers(256, size=(6, 8, 3)).astype(np.uint8)
    return SceneCourse("a", "b", picture, atoms, None, 0.008, course, him, choices)


def test_the_page_opens_at_a_third_of_the_anytime_predictor_s_own_time():
    labelled = scene(np.random.default_rng(1))  # steps end at 10, 20 and 40 ms: a third is 20
    assert opening_share(labelled) == pytest.approx(20.001 / (1.02 * 40), abs=1e-6)
    slow = labelled._replace(him=labelled.him._replace(seconds=np.array([0.5])))
    assert opening_share(slow) == pytest.approx(20.001 / (1.02 * 500), abs=1e-6)
    sim, him = (course["ms"] for course in scene_part(slow)["courses"])
    assert sim[1] <= opening_share(slow) * 1.02 * him[0] < sim[2]


@needs_node
def test_the_browser_sees_what_was_sent(tmp_path):
    labelled = scene(np.random.default_rng(0))
    times = [0, 9.99, 10, 15, 20, 39, 40, 1e9]
    seen = run_node(
        tmp_path, "problems/scene/view/scene_core.js", BODY, {"scene": scene_part(labelled), "times": times}
    )
    size = np.bincount(labelled.atoms.ravel())
    assert seen["steps"] == [-1, -1, 0, 0, 1, 1, 2, 2]
    assert seen["atoms"] == labelled.atoms.ravel().tolist()
    assert seen["sizes"] == size.tolist()
    assert seen["labels"] == labelled.sim.labels.tolist()
    assert seen["set"] == labelled.choices.is_updated.astype(int).tolist()
    pixels = labelled.sim.labels[1][labelled.atoms]
    np.testing.assert_allclose(seen["shares"], np.bincount(pixels.ravel(), minlength=11) / 48)
    byte = np.round(255 * labelled.sim.entropy[1] / np.log(11))
    np.testing.assert_allclose(seen["mean"], (byte * size).sum() / 48)
    np.testing.assert_allclose(seen["agree"], 100 * (labelled.sim.labels[0][labelled.atoms] == pixels).mean())
    painted = np.array(seen["painted"]).reshape(6, 8, 4)
    np.testing.assert_array_equal(painted[labelled.atoms == 0][:, :3], labelled.picture[labelled.atoms == 0])
    grey = labelled.picture @ [0.3, 0.59, 0.11]
    wanted = 200 * (0.55 + 0.45 * grey / 255)
    assert np.abs(painted[..., 0] - wanted)[labelled.atoms > 0].max() <= 1


def test_the_trade_off_page_takes_the_task_along():
    assert "problems/scene/view/trade_task.js" in TRADE_OFF.parts
    text = script(TRADE_OFF.parts)
    assert text.index("TASKS = {}") < text.index("TASKS.scene =") < text.index("TASKS[data.task]")


def test_pictures_are_sent_with_their_places():
    places = np.array([[5, 5], [15, 5], [5, 15]])
    pictures = MarkedPictures(("a", "b"), ("one", "two"), places, 10, ("Sky",), ("#fff",))
    sent = cached.pack(pictures)
    np.testing.assert_array_equal(sent.pop("places"), places)
    lists = {"sources": ["a", "b"], "titles": ["one", "two"], "names": ["Sky"], "colours": ["#fff"]}
    assert sent == lists | {"step": 10}
