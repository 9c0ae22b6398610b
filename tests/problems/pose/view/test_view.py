"""The Pose view under node: a clip's payload is unpacked and pruned as the engine does."""

import json
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise

import numpy as np
import pytest

from spcviz.engine.errors import ArgumentError
from spcviz.engine.graphs import ensemble, placed
from spcviz.problems.pose.data import body, render
from spcviz.problems.pose.model import cascade, detectors, features, levels
from spcviz.problems.pose.page import live, trace
from spcviz.problems.pose.view import component
from spcviz.web.view import mount
from tests.node import needs_node, run_node

SETTINGS = levels.PoseSettings(n_parts=3, n_negatives=8, n_frames=4, n_clips=2, n_epochs=1)
FILL = (
    "const levels = data.levels.map((own, l) => core.levelOf(own, data.alphas[l], 3));"
    "core.fillStates(levels, data.kept);"
)


@pytest.fixture(scope="module")
def scene():
    clip = render.render_clip(3, 2)
    return live._scene("a clip", clip.images, clip.limbs)


@pytest.fixture(scope="module")
def model(scene):
    """Detectors with random weights: the tests are about the use of their scores."""
    rng = np.random.default_rng(0)
    weights = {p: rng.normal(size=(len(features.sample_points(p)), features.N_CHANNELS)) for p in (0, 1)}
    cells = np.stack([features.histograms(image) for image in scene.images])
    limbs = np.concatenate([render.render_clip(seed, 4).limbs for seed in range(3)])
    return detectors.set_by_hand(weights, cells, limbs, np.repeat(np.arange(3), 4), SETTINGS)


@pytest.fixture(scope="module")
def fine(model, scene):
    return list(cascade.detect(model, scene.images))


def every_part(level):
    """A level as the browser has it once all its parts have arrived."""
    return component.level_part(level) | component.codes_part(level) | component.scores_part(level)


@pytest.fixture(scope="module")
def payload(model, scene, fine):
    """Two separate frames; level 1 at an alpha that is no multiple of a thousandth."""
    alphas = [0.31, 0.12345, 0.4, None, 0.2, 0.0, None]
    runs = [trace.run_levels(model, [frame], "single", alphas)[0] for frame in fine]
    clip = trace.clip_trace(scene, "single", trace.join_levels(runs), (1.0, 0.5))
    levels = [every_part(level) for level in clip.levels]
    sent, parts = component.pose_payload(clip, names=body.PARTS, lengths=body.LENGTHS)
    return sent, parts, levels, clip.levels


def random_level(rng):
    """(best, means, table of summed max-marginals, tuned alpha), often with ties or without spread."""
    n_models, shape = rng.integers(1, 4), (rng.integers(1, 4), rng.integers(1, 30))
    values = rng.normal(size=(n_models, *shape)) * 10.0 ** rng.integers(-3, 4)
    if rng.random() < 0.5:
        values = np.round(values, 1 if rng.random() < 0.7 else 0)  # ties
    if rng.random() < 0.05:
        values[:] = 3.0
    best = values.max(axis=(1, 2))
    means = np.array([b + (scores - b).mean() for b, scores in zip(best, values)])
    return (
        best,
        means,
        values.sum(axis=0),
        float(rng.choice([0.0, 1.0, 0.25, rng.random(), -rng.random(), -8 * rng.random()])),
    )


@needs_node
def test_keep_masks_are_the_engines_on_1000_random_levels(tmp_path):
    rng, asked, wanted = np.random.default_rng(7), [], []
    for _ in range(1000):
        best, means, table, tuned = random_level(rng)
        alphas = trace.slider_alphas(tuned)
        codes = trace.codes_of(table.ravel(), np.stack([best, means]), alphas)
        # a threshold that a state equals: where ties and rounding decide
        alpha = float(rng.choice(alphas) if rng.random() < 0.8 else rng.choice([0.0, 1.0, tuned]))
        kept = ensemble.filter_summed(best, means, table, alpha)
        wanted.append(kept.keep.astype(int).tolist())
        n, first = len(table), table.argmax(axis=1)
        zeros = np.zeros(1)
        zeros = np.zeros(1)
        part = {"n_given": np.full(n, table.shape[1], np.int32), "first": first.astype(np.int32)}
        part |= {"codes": codes, "tuned": tuned, "rows": 10, "columns": 10, "n_each": 0}
        part |= dict.fromkeys(("best", "mean", "low", "unary_range"), zeros)
        asked.append(part | {"unary": codes[:0], "alpha": alpha})
    body_ = """console.log(JSON.stringify(data.map((own) => {
      const level = core.levelOf(own, own.alpha, own.n_given.length), k = core.alphaIndex(level, own.alpha);
      return Array.from(level.nGiven, (_, v) => {
        const keep = Array.from(core.keepMask(level, v, k)), n = core.countKept(level, v, k);
        const falls = keep.map((_, s) => core.fallIndex(level, v, s) > k ? 1 : 0);
        if (falls.join() !== keep.join() || n !== keep.reduce((a, b) => a + b)) throw new Error("disagree");
        return keep;
      });
    })));"""
    masks = run_node(tmp_path, "problems/pose/view/pose_core.js", body_, asked)
    assert masks == wanted
    assert sum(len(set(np.ravel(rows))) > 1 for rows in wanted) > 300  # many prune something and not all


@needs_node
def test_states_bodies_and_falls_are_the_engines(tmp_path, model, scene, fine, payload):
    picked = [(0, 1, 5), (3, 2, 7), (6, 0, 3)]
    main = (
        f"const picked = {json.dumps(picked)}; {FILL}"
        + """
    const last = levels[6], codeOf = (own, p, s) => own.codes[own.start[3 + p] + s];
    console.log(JSON.stringify({
      states: levels.map((own) => Array.from(own.states)),
      bodies: picked.map(([l, p, s]) => core.witness(levels[l], 1, p, s)),
      scores: picked.map(([l, p, s]) => core.scoreOf(levels[l], 1, codeOf(levels[l], p, s))),
      falls: levels.map((own) => core.truthFall(own, 3, data.lengths[0], data.truth[1][0])),
      top: core.topLimbs(last, 4, 0, core.ranking(last, 4)).map((s) =>
        core.limbOf(last, last.states[last.start[4] + s], data.lengths[1])),
    }));"""
    )
    sent, parts, levels_, clip_levels = payload
    data = {"levels": levels_, "alphas": sent["alphas"], "lengths": sent["lengths"]}
    data["truth"], data["kept"] = parts["truth"]["limbs"], component.kept_part(clip_levels)["kept"]
    output = run_node(tmp_path, "problems/pose/view/pose_core.js", main, data)
    alphas = sent["alphas"]
    runs = [list(cascade.filtered_models(model, [frame], "single", alphas)) for frame in fine]
    for number, got in enumerate(output["states"]):
        assert got == np.concatenate([run[number][1].states for run in runs]).tolist()
    run = runs[1]
    for (number, part, s), body_, score in zip(
        [(0, 1, 5), (3, 2, 7), (6, 0, 3)], output["bodies"], output["scores"]
    ):
        (sub,), level = run[number]
        spread = level.summed.max() - level.summed.min()
        assert score == pytest.approx(level.summed[level.of(part)][s], abs=1e-3 * spread)
        unary, joints = sub.scores(model.weights["single"][number][0])
        at = [level.start[p] + place for p, place in enumerate(body_["places"])]
        one = placed.Places(np.arange(4), *(np.asarray(coordinate)[at] for coordinate in sub.places[1:]))
        best = placed.max_marginals(unary[at], one, sub.edges, sub.kinds, joints).best
        assert best == pytest.approx(level.summed[level.of(part)][s], abs=1e-3 * spread)
        assert best == pytest.approx(body_["score"], abs=1e-3 * spread)
    truth = scene.truth[1, 0]
    for number, fall in enumerate(output["falls"]):
        level = run[number][1]
        torso = level.of(0)
        near = body.is_correct(body.limbs_of(number, 0, level.states[torso]), truth, body.NEAR)
        slider = trace.slider_alphas(model.alphas["single"][number])
        for alpha in (0.0, 0.3, 0.7):
            kept = levels.again(level, alpha).keep[torso]
            assert (fall > slider.tolist().index(alpha)) == bool((near & kept).any())
    np.testing.assert_allclose(
        np.reshape(output["top"], (-1, 2, 2)), live.top_limbs(run[6][1], 1, 1), atol=1e-9
    )


def test_three_sub_models_send_two_and_the_sum(model, fine, scene):
    filtered, _ = trace.run_levels(model, fine, "ensemble", [0.9] * 7)
    clip = trace.clip_trace(scene, "ensemble", filtered, (1.0, 0.5))
    sent, parts = component.pose_payload(clip, names=body.PARTS, lengths=body.LENGTHS)
    first = component.scores_part(clip.levels[0])
    assert len(first["each"]) == component.level_part(clip.levels[0])["n_each"] == 2
    assert first["unary"].size == 0
    assert parts["scores 0"] == mount.pack_part(first)
    assert len(mount.as_message(sent, parts)) > sum(level.codes.nbytes for level in clip.levels)


def test_sub_models_side_by_side_find_the_same(model, fine):
    filtered, _ = trace.run_levels(model, fine, "ensemble", [0.5] * 7)
    with ThreadPoolExecutor(3) as pool:
        threaded, seconds = trace.run_levels(model, fine, "ensemble", [0.5] * 7, pool.map)
    for one, other in zip(filtered, threaded):
        for name in one._fields:
            np.testing.assert_array_equal(getattr(one, name), getattr(other, name))
    assert seconds > 0


def test_a_limb_that_loses_all_keeps_its_best_and_is_said_to(model, fine, scene):
    levels, _ = trace.run_levels(model, fine, "single", [1.0] * 7)
    kept = [component.kept_of(*pair) for pair in pairwise(levels)]
    for mask, level in zip(kept, levels):
        ends = np.cumsum(level.n_given)
        best = (ends - level.n_given.ravel() + level.first.ravel()).tolist()
        assert set(best) <= set(np.flatnonzero(mask).tolist())
    assert kept[0].sum() == levels[1].n_given.sum() // 2


@pytest.mark.parametrize(
    ("view", "missing"),
    [
        ({"show": "level", "cell": ""}, 13),
        ({"show": "level", "cell": "0-7"}, 12),
        ({"show": "three", "cell": ""}, 12),
        ({"show": "all", "cell": ""}, 7),
    ],
)
def test_only_what_the_picture_needs_is_sent_at_once(payload, view, missing):
    _, parts, *_ = payload
    later = component.on_demand(parts, view | {"level": 3})
    assert len(later) == missing
    assert "codes 3" not in later
    assert {name.split()[0] for name in later} <= {"codes", "scores"}


def test_a_levels_part_does_not_change_with_the_alpha_that_follows(model, fine):
    first, second = (
        component.level_part(trace.run_levels(model, fine[:1], "single", [alpha] * 7)[0][0])
        for alpha in (0.2, 0.6)
    )
    assert mount.pack(first) == mount.pack(second)


def test_wrong_arguments_are_named(model, fine):
    with pytest.raises(ArgumentError, match="method must be one of single, torso, ensemble, got 'both'"):
        trace.run_levels(model, fine, "both")
    with pytest.raises(ArgumentError, match="alphas must be 7 numbers, got 2"):
        trace.run_levels(model, fine, "single", [0.5, 0.5])
    with pytest.raises(ArgumentError, match="alphas must"):
        trace.run_levels(model, fine, "single", [np.nan] * 7)
