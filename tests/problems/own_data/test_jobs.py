"""Jobs of visitors: a line, limits, cancelling, leaving; data on the shelf that go with the session."""

import contextlib
import os
import time

import psutil
import pytest

from spcviz.problems.own_data.data.examples import read_example
from spcviz.problems.own_data.model import child, jobs, nursery
from spcviz.problems.own_data.model.jobs import Job
from spcviz.problems.own_data.model.settings import Settings
from spcviz.problems.own_data.page import shelf
from spcviz.problems.own_data.page.shown import Trained

WAIT = 240


def wanted(n=60, **settings):
    example = read_example("ewt")
    all_settings = Settings(**({"method": "perceptron", "passes": 2} | settings))._asdict()
    return {"settings": all_settings, "sentences": example.sentences[:n], "labels": example.labels[:n]}


def job(**more):
    return Job("train", wanted(**more.pop("settings", {})), Trained, n_steps=2, **more)


def nurseries():
    processes = psutil.Process().children()
    return [one for one in processes if any("own_data.model.nursery" in part for part in one.cmdline())]


def children():
    """Training processes of this test."""
    return [one for parent in nurseries() for one in parent.children(recursive=True)]


def test_a_job_brings_a_model_home_and_counts_its_steps():
    training = job()
    assert training.ended.wait(WAIT)
    assert (training.state, training.problem) == ("done", "")
    assert training.n_done == 2
    assert training.outcome.report.n_train > 20
    assert training.outcome.report.cpu_seconds > 0


def test_what_is_wrong_comes_back_as_a_sentence():
    training = Job("train", wanted(n=5), Trained, n_steps=2)
    assert training.ended.wait(WAIT)
    assert training.state == "failed"
    assert training.problem == "Training needs at least 12 sentences that are not empty; the file has 5."


def test_of_many_jobs_two_run_and_the_others_say_how_long(monkeypatch):
    monkeypatch.setattr(jobs.Job, "_child", lambda self: (time.sleep(3), (0, b'{"problem": "none"}\n'))[1])
    several = [job() for _ in range(5)]
    end = time.monotonic() + 2
    while sum(training.state == "running" for training in several) < 2 and time.monotonic() < end:
        time.sleep(0.02)
    assert [training.state for training in several] == ["running"] * 2 + ["waiting"] * 3
    assert [training.ahead() for training in several] == [0, 0, 1, 2, 3]
    assert 0 < several[2].seconds_to_wait() < several[4].seconds_to_wait()
    for training in several:
        assert training.ended.wait(60)
    assert {training.problem for training in several} == {"none"}
    assert not jobs._LINE


@pytest.mark.parametrize("how", ["cancel", "leave"])
def test_who_cancels_or_leaves_takes_the_process_along(how):
    here = [True]
    training = job(settings={"method": "cascade", "order": 4, "n": 300}, is_wanted=lambda: here[0])
    end = time.monotonic() + 60
    while not children() and time.monotonic() < end:
        time.sleep(0.05)
    assert children()
    if how == "cancel":
        training.cancel()
    else:
        here[0] = False
    assert training.ended.wait(60)
    assert training.state == "cancelled"
    end = time.monotonic() + 10  # who waited for it needs a moment to end, too
    while children() and time.monotonic() < end:
        time.sleep(0.02)
    assert not children()


@pytest.mark.skipif(not nursery._CAN_FORK, reason="jobs are forked")
def test_a_job_is_a_child_of_one_nursery_with_limits_of_its_own():
    trainings = [job() for _ in range(3)]
    limits, seen = set(), set()
    end = time.monotonic() + WAIT
    while not all(one.ended.is_set() for one in trainings) and time.monotonic() < end:
        for one in children():
            with contextlib.suppress(psutil.Error):
                if not one.children():
                    limits.add(one.rlimit(psutil.RLIMIT_AS)[0])
                    seen.add(one.pid)
        time.sleep(0.005)
    assert [one.state for one in trainings] == ["done"] * 3
    assert len(nurseries()) == 1
    assert child.MEMORY in limits
    assert len(seen) >= 3


@pytest.mark.skipif(not nursery._CAN_FORK, reason="jobs are forked")
def test_a_nursery_that_has_ended_is_started_anew():
    assert job().ended.wait(WAIT)
    (old,) = nurseries()
    old.kill()
    training = job()
    assert training.ended.wait(WAIT)
    assert training.state == "done"
    assert [one.pid for one in nurseries()] != [old.pid]


@pytest.mark.skipif(not nursery._CAN_FORK, reason="jobs are forked")
def test_a_nursery_that_ends_takes_no_job_for_done():
    training = job(settings={"method": "cascade", "order": 4, "n": 300})
    end = time.monotonic() + 60
    while not training.ended.is_set() and time.monotonic() < end:
        for one in children():  # who is just being forked is met the next time
            with contextlib.suppress(psutil.Error):
                one.kill()
        time.sleep(0.01)
    assert training.ended.wait(60)
    assert (training.state, training.problem[:36]) == ("failed", "Training ended before its time; try ")


def test_where_nothing_is_forked_each_job_starts_a_python(monkeypatch):
    monkeypatch.setattr(nursery, "_CAN_FORK", False)
    training = job()
    assert training.ended.wait(WAIT)
    assert (training.state, training.problem) == ("done", "")


@pytest.mark.skipif(os.name != "posix", reason="limits of a process")
def test_a_process_has_no_more_time_than_it_may(monkeypatch):
    code = -24 if hasattr(os, "fork") else 1
    with pytest.raises(jobs.JobError, match="longer than 60 s of a core"):
        jobs._opened(code, b"", Trained)
    with pytest.raises(jobs.JobError, match="ended before its time"):
        jobs._opened(-9, b"", Trained)


def test_what_nobody_uses_goes_and_takes_its_job_along():
    shelf.clean(time.monotonic() + shelf.SECONDS + 1)  # what other tests have left
    there = {"a": True, "b": True}
    for name in there:
        shelf.put(name, shelf.Own(read_example("ewt")), lambda name=name: there[name])
    now = time.monotonic()
    assert shelf.clean(now) == 0
    there["b"] = False
    assert shelf.clean(now) == 1
    assert shelf.of("b") is None
    assert shelf.of("a") is not None
    assert shelf.clean(time.monotonic() + shelf.SECONDS + 1) == 1
    assert shelf.of("a") is None


def test_other_columns_make_void_what_was_made():
    from spcviz.problems.own_data.data.examples import EXAMPLES, data_of
    from spcviz.problems.own_data.data.files import read

    data = data_of("ewt")
    visit = shelf.Own(read("a.conllu", data), data)
    visit.keep("something", 1)
    visit.with_columns(EXAMPLES["penn"].columns)
    assert visit.kept("something") is None
    assert len({label for sentence in visit.brought.labels for label in sentence}) > 40
