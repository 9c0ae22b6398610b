"""Jobs of visitors: a queue, limits, cancelling, leaving; data on the shelf that end with the session."""

import contextlib
import threading
import time
from pathlib import Path

import psutil
import pytest

from spcviz.problems.own_data.model import jobs, works
from spcviz.problems.own_data.model.examples import read_example
from spcviz.problems.own_data.model.jobs import Job
from spcviz.problems.own_data.model.training import Settings
from spcviz.problems.own_data.page import shelf
from spcviz.shared.confined import fork_server
from spcviz.shared.confined.asking import Answer

WAIT = 240


def wanted(n=60, **settings):
    example = read_example("ewt")
    all_settings = Settings(**({"method": "perceptron", "passes": 2} | settings))._asdict()
    return {"settings": all_settings, "sentences": example.sentences[:n], "labels": example.labels[:n]}


def job(**more):
    return Job("train", wanted(**more.pop("settings", {})), n_steps=2, **more)


def fork_servers():
    processes = psutil.Process().children()
    running = fork_server._RUNNING.get("training")
    return [one for one in processes if running is not None and one.pid == running.process.pid]


def children():
    """Training processes of this test."""
    return [one for parent in fork_servers() for one in parent.children(recursive=True)]


def test_a_job_brings_a_model_home_and_counts_its_steps():
    training = job()
    assert training.ended.wait(WAIT)
    assert (training.state, training.problem) == ("done", "")
    assert training.n_done == 2
    assert training.outcome.report.n_train > 20
    assert training.outcome.report.cpu_seconds > 0


def test_what_is_wrong_comes_back_as_a_sentence():
    training = Job("train", wanted(n=5), n_steps=2)
    assert training.ended.wait(WAIT)
    assert training.state == "failed"
    assert training.problem == "Training needs at least 12 sentences that are not empty; the file has 5."


def test_of_many_jobs_two_run_and_the_others_say_how_long(monkeypatch):
    may_end = threading.Event()
    monkeypatch.setattr(jobs.Job, "_answer", lambda self: (may_end.wait(60), Answer({}, b"", "none"))[1])
    several = [job() for _ in range(5)]
    end = time.monotonic() + 20
    while sum(training.state == "running" for training in several) < 2 and time.monotonic() < end:
        time.sleep(0.02)
    assert [training.state for training in several] == ["running"] * 2 + ["waiting"] * 3
    assert [training.ahead() for training in several] == [0, 0, 1, 2, 3]
    assert 0 < several[2].seconds_to_wait() < several[4].seconds_to_wait()
    may_end.set()
    for training in several:
        assert training.ended.wait(60)
    assert {training.problem for training in several} == {"none"}
    assert not len(jobs.LINE)


def test_who_cancels_takes_the_process_along():
    training = job(settings={"method": "cascade", "order": 4, "n": 300})
    end = time.monotonic() + 60
    while not children() and time.monotonic() < end:
        time.sleep(0.05)
    assert children()
    training.cancel()
    assert training.ended.wait(60)
    assert training.state == "cancelled"
    end = time.monotonic() + 10  # its waiting parent needs a moment to end, too
    while children() and time.monotonic() < end:
        time.sleep(0.02)
    assert not children()


@pytest.mark.skipif(not Path("/proc/self/task").is_dir(), reason="looks into /proc")
def test_a_fork_server_has_one_thread_when_it_forks():
    """Training reports progress, and a thread usually monitors progress bars."""
    assert job().ended.wait(WAIT)
    (parent,) = fork_servers()
    assert len(list(Path(f"/proc/{parent.pid}/task").iterdir())) == 1


def test_a_thread_that_cannot_start_blocks_nobody(monkeypatch):
    def none_left(self):
        raise RuntimeError("can't start new thread")

    with monkeypatch.context() as patched:
        patched.setattr(threading.Thread, "start", none_left)
        failed = [job() for _ in range(3)]
    assert {one.state for one in failed} == {"failed"}
    assert {one.problem for one in failed} == {jobs.NO_PROCESS}
    assert not len(jobs.LINE)


@pytest.mark.parametrize("error", [RuntimeError, OSError, KeyError, MemoryError, ZeroDivisionError])
def test_whatever_ends_a_job_is_said(error, monkeypatch):
    def broken(*_, **__):
        raise error("of ours")

    monkeypatch.setattr(jobs, "ask", broken)
    failed = job()
    assert failed.ended.wait(60)
    assert failed.state == "failed"
    assert failed.problem.endswith(".")
    assert not len(jobs.LINE)


@pytest.mark.skipif(not fork_server._CAN_FORK, reason="jobs are forked")
def test_a_job_is_a_child_of_one_fork_server_with_limits_of_its_own():
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
    assert len(fork_servers()) == 1
    assert limits
    assert max(limits) < 8 * works.WORKS["train"].task.memory
    assert len(seen) >= 3


@pytest.mark.skipif(not fork_server._CAN_FORK, reason="jobs are forked")
def test_a_fork_server_that_has_ended_is_started_anew():
    assert job().ended.wait(WAIT)
    (old,) = fork_servers()
    old.kill()
    training = job()
    assert training.ended.wait(WAIT)
    assert training.state == "done"
    assert [one.pid for one in fork_servers()] != [old.pid]


@pytest.mark.skipif(not fork_server._CAN_FORK, reason="jobs are forked")
def test_a_fork_server_that_ends_takes_no_job_for_done():
    # Long enough that even a busy machine catches it before it is done.
    training = job(settings={"method": "cascade", "order": 4, "n": 2000})
    end = time.monotonic() + 60
    while not training.ended.is_set() and time.monotonic() < end:
        for one in children():  # a child that is just being forked is caught the next time
            with contextlib.suppress(psutil.Error):
                one.kill()
        time.sleep(0.01)
    assert training.ended.wait(60)
    assert (training.state, training.problem[:36]) == ("failed", "Training ended before its time; try ")


def test_where_nothing_is_forked_each_job_starts_a_python(monkeypatch):
    monkeypatch.setattr(fork_server, "_CAN_FORK", False)
    training = job()
    assert training.ended.wait(WAIT)
    assert (training.state, training.problem) == ("done", "")


@pytest.mark.parametrize(
    ("fault", "said"), [("long", "longer than 60 s of a core"), ("ended", "ended before its time"),
                        ("memory", "more memory"), ("large", "larger than what is kept")],
)  # fmt: skip
def test_how_a_process_ended_is_said(fault, said):
    with pytest.raises(jobs.JobError, match=said):
        jobs._outcome(Answer({}, memoryview(b""), fault=fault), "train")


@pytest.mark.parametrize("body", [b"", b"x" * 100, b"\0" * 8, (2**40).to_bytes(8, "little")])
def test_what_a_process_wrote_is_not_believed(body):
    with pytest.raises(jobs.JobError, match="ended before its time"):
        jobs._outcome(Answer({}, memoryview(body)), "train")


def test_other_columns_make_void_what_was_made_and_end_what_is_under_way():
    from spcviz.problems.own_data.model.examples import EXAMPLES, data_of
    from spcviz.problems.own_data.model.files import FOUND_OUT, read

    data = data_of("ewt")
    visit = shelf.Own(read("a.conllu", data), data)
    before = visit.of("train", 1)
    visit.keep(before, 1)
    visit.job = job(settings={"method": "cascade", "order": 4, "n": 300})
    under_way, columns = visit.job, EXAMPLES["penn"].columns
    visit.read_anew(read("a.conllu", visit.data, columns), columns, FOUND_OUT)
    assert visit.find(before) is None
    assert visit.of("train", 1) != before
    assert visit.job is None
    assert "was read as before" in visit.note
    assert under_way.ended.wait(60)
    assert under_way.state == "cancelled"
    assert len({label for sentence in visit.brought.labels for label in sentence}) > 40
