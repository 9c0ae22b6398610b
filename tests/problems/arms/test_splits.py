"""Training and test clips of arms by their people, and the merging of parts of a result."""

import numpy as np
import pytest

from experiments.arms import reproduce
from spcviz.engine.errors import ArgumentError
from spcviz.problems.arms.model import dms as dms_pose
from spcviz.problems.arms.model import fit
from spcviz.problems.arms.model.proposals import N_TIERS
from spcviz.problems.pose.data import signs
from spcviz.registry.problem import Run
from tests.problems.arms.made_up import MS, SETTINGS, trial


def test_rows_of_a_split_do_not_depend_on_the_clock(dms, policy):
    assert (
        [fold["fold"] for fold in dms.folds] == [fold["fold"] for fold in policy.folds] == ["first", "second"]
    )
    rows = [row for fold in dms.folds for row in fold["rows"] if row.get("model") == 2]
    by_split = np.array([[row["elbow_error"], row["wrist_error"]] for row in rows])
    assert by_split.shape == (2, 2)
    assert {"model", "elbow_error", "wrist_error"} == rows[0].keys()
    last = [fold["rows"][-1] for fold in policy.folds]
    assert [row["tier"] for row in last] == [N_TIERS - 1] * 2
    assert {line["fold"] for line in dms.by_fold} == {"first", "second"}


def test_without_development_chains_queues_are_chosen_by_cross_validation(clips):
    made = trial(clips, (0.7, 0.3))
    measured = dms_pose.measure(made, SETTINGS)
    assert sum(measured.queues.values()) == 2
    assert measured.tallies["dms"].frames.sum() == sum(len(draw()[-1].joints) for draw in made.splits)


def test_parts_replace_their_own_figures_only():
    def result(name, value):
        row = {"data": name, "method": "dms", "error": value}
        return {
            "name": "dms-pose", "rows": [row], "equal_ms": [row], "baselines": [], "summary": {name: value},
            "data_digests": {name: str(value)}, "fold_rows": [{"fold": f"{name} 1", "rows": [value]}],
            "settings": {"data": {name: value}, "quick": False},
        }  # fmt: skip

    both = reproduce.merge_results(result("rendered", 1), result("signs", 2))
    assert [row["data"] for row in both["rows"]] == ["signs", "rendered"]
    assert list(both["summary"]) == list(both["settings"]["data"]) == ["signs", "rendered"]
    again = reproduce.merge_results(both, result("rendered", 3))
    assert [row["error"] for row in again["equal_ms"]] == [2, 3]
    assert again["summary"] == {"signs": 2, "rendered": 3}
    assert again["data_digests"] == {"signs": "2", "rendered": "3"}
    assert sorted(fold["fold"] for fold in again["fold_rows"]) == ["rendered 1", "signs 1"]
    assert reproduce.merge_results({"settings": {}}, both) == both


def test_each_person_is_left_out_and_read_by_models_that_have_not_seen_it(clips, monkeypatch):
    persons = np.array(signs.load_reference().persons)
    every = clips.choose(np.arange(40) % 20)._replace(clip=np.repeat(np.arange(20), 2))
    monkeypatch.setattr(reproduce.proposals, "sign_clips", lambda *rest: every)
    monkeypatch.setattr(reproduce.proposals, "rendered_clips", lambda *rest: clips.choose([0, 1]))
    made = reproduce._signs(Run("dms-pose"), None, None)
    n_repeats = reproduce.N_REPEATS
    assert len(made.trial.splits) == len(made.trial.names) == 5 * n_repeats
    assert len(set(made.trial.names)) == 5 * n_repeats
    for draw, name in zip(made.trial.splits, made.trial.names, strict=True):
        train, test = draw()
        assert set(persons[test.clip]) == {name.split()[1]}
        assert set(persons[train.clip]) == set("ABCDE") - {name.split()[1]}
        assert len(train.clip) + len(test.clip) == len(every.clip)
        part = made.trial.part_of(train, SETTINGS, None)
        assert all(len(set(part[persons[train.clip] == person])) == 1 for person in set(persons[train.clip]))
        assert len(set(part)) == 4
    assert made.trial.medians == pytest.approx(MS)
    assert [signs.PERSONS[person] for person in made.trial.people] == list(persons)
    one = reproduce._signs(Run("dms-pose", folds=1), None, None)
    assert one.trial.names == made.trial.names[:n_repeats]  # so one fold can be checked
    assert one.tested is every


def test_predictors_learn_from_more_clips_where_there_are_more(clips, monkeypatch):
    seen, fit_readers = [], fit.fit_readers
    monkeypatch.setattr(
        fit, "fit_readers", lambda c, *rest: seen.append(len(c.clip)) or fit_readers(c, *rest)
    )
    more = clips.choose([0, 1, 2, 3])
    part = np.arange(len(clips.clip)) // 2 % 2
    fit.read_unseen(clips, SETTINGS, np.random.default_rng(0), part, more)
    assert seen == [10 + 4, 10 + 4]
    assert fit.with_more(clips, None) is clips


def test_unknown_sets_of_clips_are_refused():
    with pytest.raises(ArgumentError, match="features must be of signs, rendered"):
        reproduce.measure(Run("policy-pose", features=("buffy",)))
