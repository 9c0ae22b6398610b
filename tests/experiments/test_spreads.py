"""Spreads stored in results: paired differences, timing rounds, looks at test data."""

import json

import numpy as np
import pytest

from experiments.grids.reproduce import GridSettings, reproduce_grid
from experiments.open_words import reproduce as open_words
from experiments.parsing import times as parsing_times
from experiments.pose import follow
from experiments.scene import measure
from experiments.scene import reproduce as scene
from experiments.tagging import reproduce as tagging
from spcviz.commands.reproduce import looks_at_test
from spcviz.problems.arms.model.tallies import Tally, gap, gap_of_both
from spcviz.problems.tagging.model import settings
from spcviz.shared.folders import RESULTS
from spcviz.web.figures.stored_results import origin_sentence


def tally(wrong, frames):
    out = Tally(1, len(frames))
    out.add(np.array(wrong, float)[None], np.array(frames, float))
    return out


def test_the_gap_of_both_joints_is_paired_by_clip():
    frames = [4.0, 6.0, 10.0]
    one, other = tally([[1, 2], [2, 4], [5, 1]], frames), tally([[2, 2], [3, 6], [5, 5]], frames)
    mean, error = gap_of_both(one, other, 0, 0)
    by_joint, _ = gap(one, other, 0)
    assert mean == pytest.approx(by_joint.mean()) == pytest.approx(100 * (0.5 + 1.5 + 2.0) / 20 * -1)
    off = np.array([-0.5, -1.5, -2.0]) - np.array(frames) * (-4.0 / 20)
    assert error == pytest.approx(100 * np.sqrt(3 / 2 * (off**2).sum()) / 20)


def test_trees_of_a_grid_are_paired_with_the_ensemble():
    result = reproduce_grid(settings=GridSettings(4, 3, 3, 4, 5.0, n_samples=50, n_sweeps=20))
    ours = [fold["rows"][0]["error"] for fold in result["fold_rows"]]
    every = np.array(result["trees_by_instance"]) - np.array(ours)[:, None]  # (instances, P, K)
    for row in result["trees"]:
        gaps = every[:, row["tree"], row["k"] - 1]
        assert row["gap"] == pytest.approx(np.mean(gaps), abs=2e-6)
        assert row["gap_stderr"] == pytest.approx(np.std(gaps, ddof=1) / 2, abs=2e-6)


def test_shoulders_have_a_gain_of_their_own():
    def pieces(elbow, shoulder):
        return [{"clip": clip, "frames": [[elbow[clip], shoulder[clip], 0, 0]], "states_kept": 1.0,
                 "n_runs": 1, "n_lost": 0, "n_broken": 0, "n_variables": 1} for clip in (0, 1)]  # fmt: skip

    row = follow.row(pieces((1.0, 2.0), (3.0, 3.0)), pieces((2.0, 2.0), (4.0, 7.0)))
    assert row["elbow_gain_over_single"] == 0.5
    assert (row["shoulder_gain_over_single"], row["shoulder_gain_stderr"]) == (2.5, 1.5)


def test_sim_is_compared_where_a_method_is_done():
    def right(n, steps):  # n of 10 pixels right, for each of 24 pictures
        table = np.zeros((24, len(steps), 11, 11))
        table[..., 0, 0], table[..., 1, 0] = steps, np.subtract(10, steps)
        return table

    tables = {"sim": right(24, [2, 6, 9]), "him": right(24, [7])}
    drawn = measure.draws(24, np.random.default_rng(0))
    for him, step, pixel in ((2.5, 2, -10.0), (3.0, 3, 20.0), (1.0, 1, -50.0)):
        found = scene._at_its_time("him", tables, {"sim": [1.0, 2.0, 3.0], "him": [him]}, drawn)
        found = found["at_its_time"]
        assert (found["step"], found["pixel"]) == (step, pytest.approx(pixel))
        assert found["interval"] == pytest.approx([pixel, pixel])
    assert scene._at_its_time("him", tables, {"sim": [1.0, 2.0, 3.0], "him": [0.5]}, drawn) == {}


def test_the_chosen_beam_is_paired_with_the_chosen_cascade():
    rng = np.random.default_rng(0)
    ours, beam = rng.random(400) < 0.8, rng.random(400) < 0.7
    rows = [
        {"data": "unseen", "features": "raw", "method": "beam", "order": 5, "width": width}
        for width in (2, 4)
    ]
    pick = {"order": 5, "width": 4}
    chosen = {"features": "raw", "cascade": {"order": 6, "width": None}, "in_its_time": pick, "as_many": None}
    right = {("cascade", 6, None): ours.astype(float), ("beam", 5, 4): beam.astype(float)}
    open_words._compare(rows, chosen, "unseen", right)
    assert "cascade_minus" not in rows[0]
    assert rows[1]["cascade_minus"] == pytest.approx(100 * (ours.mean() - beam.mean()))
    low, high = rows[1]["cascade_minus_interval"]
    half = 196 * np.std(ours * 1.0 - beam, ddof=1) / 20
    assert (high - low) / 2 == pytest.approx(half, rel=0.15)


def test_a_row_of_times_keeps_every_turn():
    row = parsing_times._row(("a", "b"), np.array([[3.0, 1.0], [5.0, 9.0]]))
    assert row == {"a": 1.0, "b": 5.0, "us_per_word": 6.0, "us_per_word_turns": [8.0, 10.0]}


def test_the_whole_treebank_takes_settings_from_a_sixth_and_trains_on_all(monkeypatch):
    assert tagging.WHOLE_PARTS == [("ewt_whole", "full")]
    some, every = (settings.settings_for(data, "full") for data in ("ewt", "ewt_whole"))
    assert some.config == every.config
    assert settings.searched_on(every) == some
    assert settings.searched_on(some) == some
    monkeypatch.setattr(settings.cascade, "prepare_corpus", lambda *asked: asked)
    assert settings.data_of(some) == ("ewt", "full", 2, 6)
    assert settings.data_of(every) == ("ewt", "full", 2, 1)
    assert settings.corpus_of("ewt_whole") == "ewt"


def test_looks_are_counted_while_the_data_stay():
    result = {"data_digests": {"a": "1"}}
    assert looks_at_test(None, result) == 1
    assert looks_at_test({"data_digests": {"a": "1"}, "looks_at_test": 4}, result) == 5
    assert looks_at_test({"data_digests": {"a": "2"}, "looks_at_test": 4}, result) == 1
    stored = json.loads((RESULTS / "grid.json").read_text(encoding="utf-8"))
    made = [{"date": "2031-05-06", "commit": "0123abcd"}, {"date": "2031-05-06", "commit": "0123abcd"}]
    said = origin_sentence(stored | {"looks_at_test": 3, "provenance": made})
    assert said.endswith("; stored 3 times or more from these data; run of 2031-05-06 (commit 0123abcd).")
