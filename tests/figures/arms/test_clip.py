"""Pictures and sentences about arms under a budget, without a browser."""

import numpy as np
import pytest

from spcviz.figures.arms import clip as figures
from spcviz.figures.arms import clip_text as say
from spcviz.figures.common.palette import DARK, DARK_TIERS, LIGHT, LIGHT_TIERS
from spcviz.problems.arms.shown import PoseBudget

NAMES = ("kinematics", "+ colour", "+ superpixels", "+ optical flow")


def budget(with_truth=True):
    """Two frames; every purchase brings the arm 10 pixels nearer, from 45 to 15."""
    truth = np.full((2, 2, 3, 2), 100.0)
    four = truth + np.array([45.0, 35.0, 25.0, 15.0])[:, None, None, None, None] * [1.0, 0.0]
    tiers = np.zeros((13, 2, 2), dtype=int)
    for s in range(12):
        tiers[s + 1 :, s % 4 // 2, s % 2] += 1
    arms = truth + (45.0 - 10 * tiers)[..., None, None] * [1.0, 0.0]
    ms = np.concatenate([[0.0], np.cumsum(np.repeat([1.0, 10.0, 20.0], 4))])
    costs = np.array([0.0, 4.0, 44.0, 124.0])
    return PoseBudget(NAMES, four, truth if with_truth else None, costs, 90.0, 3.0, ms, tiers, arms)


def test_four_models_lie_one_over_the_other():
    figure = figures.overlay(budget(), "data:,", 1, LIGHT, scale=1.0, height=400)
    lines = figure.data
    assert [t.name for t in lines] == [*NAMES, "truth (dotted)"]
    assert [t.line.color for t in lines[:4]] == list(DARK_TIERS)  # the picture is dark on either page
    widths = [t.line.width for t in lines[:4]]
    assert widths == sorted(widths, reverse=True)
    assert lines[0].x[1] == 145.0
    hidden = figures.overlay(budget(), "data:,", 1, LIGHT, with_truth=False)
    assert [t.name for t in hidden.data] == list(NAMES)


@pytest.mark.parametrize(("palette", "colours"), [(LIGHT, LIGHT_TIERS), (DARK, DARK_TIERS)])
def test_the_strip_shows_each_frames_tier_and_what_is_off(palette, colours):
    figure = figures.bought(budget(), ["data:,a", "data:,b"], 0, 6, palette)
    bars = [t for t in figure.data if t.type == "bar"]
    assert [t.marker.color for t in bars[:4]] == list(colours)
    first = {t.name: list(t.x) for t in bars if t.yaxis == "y"}  # left arm
    assert first == {NAMES[0]: [None], NAMES[1]: [2], NAMES[2]: [1], NAMES[3]: [None]}
    crosses = [t for t in figure.data if t.name == "more than 20 pixels off"]
    assert [len(t.x) for t in crosses] == [4, 4]  # 25 and 35 pixels: both joints of both frames
    done = figures.bought(budget(), ["data:,a", "data:,b"], 0, 12, palette)
    assert [t.x for t in done.data if t.name == "more than 20 pixels off"] == [(None,)] * 2
    curve = next(t for t in figure.data if t.name == "frame by frame")
    assert curve.y[0] == 100
    assert curve.y[-1] == 0
    assert len(figure.layout.images) == 2


def test_without_truth_the_strip_counts_frames():
    figure = figures.bought(budget(with_truth=False), ["data:,a", "data:,b"], 0, 6, LIGHT)
    assert not [t for t in figure.data if t.name == "frame by frame"]
    stacked = [t for t in figure.data if t.type == "scatter" and t.stackgroup]
    assert np.sum([t.y for t in stacked], axis=0) == pytest.approx(100.0)


def test_errors_by_frame_are_pixels():
    figure = figures.error_by_frame(budget(), 1, LIGHT)
    assert [t.y[0] for t in figure.data] == [45.0, 35.0, 25.0, 15.0]


def test_arms_are_drawn_in_the_colour_of_what_was_bought():
    figure = figures.overlay(budget(), "data:,", 0, LIGHT, step=5)
    assert [t.name for t in figure.data] == [NAMES[1], NAMES[2], "truth (dotted)"]


def test_sentences_are_worked_out():
    text = say.four(budget(), 0, True)
    assert "(1.0 ms a frame and arm)" in text
    assert "kinematics 45; + colour 35" in text
    assert "+ optical flow 0 %" in text
    assert "off by" not in say.four(budget(with_truth=False), 0, True)
    assert [say.step_of(budget(), share) for share in (0.0, 0.02, 0.1, 1.0)] == [0, 2, 4, 12]
    text = say.bought(budget(), 12, True)
    assert "**0.12 s** of 0.12 s spent" in text
    assert "**0.0 %**; with nothing bought 100.0 %" in text
    assert "wrists" not in say.bought(budget(with_truth=False), 12, True)
