"""A visitor's file is processed once, refused or not, and not at all once its visitor has left."""

import pytest
import streamlit as st
from streamlit.runtime.scriptrunner import StopException

from spcviz.engine.errors import ArgumentError
from spcviz.problems.letters.page import cached as letters
from spcviz.problems.open_words.data import tracing
from spcviz.problems.pose.page import cached as pose
from spcviz.problems.scene.page import cached as scene
from spcviz.shared.uploading import uploads
from spcviz.shared.uploading.uploads import UploadBusyError, UploadError
from spcviz.web.cached import visitor_files


def find(data):
    """Pose's answer to a file, in the form of the other pages."""
    try:
        return pose.upload_scene(data, 0.5, 0.5, 1.0), None
    except UploadError as error:
        return None, str(error)


CALLERS = {
    "Pose": (find, pose._upload),
    "Scenes": (scene.own, scene._own),
    "Write": (letters.scan_strip, letters._scan_upload),
}


@pytest.fixture(params=CALLERS)
def caller(request):
    """A page's call, with an empty cache before and after."""
    ask, cached = CALLERS[request.param]
    cached.clear()
    yield ask
    cached.clear()


@pytest.fixture
def reads(monkeypatch):
    """(decoded data, errors that decoding raises in turn, the last one repeatedly)."""
    log, errors = [], []

    def read(data, *, glance):
        assert glance is visitor_files.leave_if_left
        log.append(data)
        raise errors.pop(0) if len(errors) > 1 else errors[0]

    monkeypatch.setattr(uploads, "read_upload", read)
    monkeypatch.setattr(tracing, "read_upload", read)
    return log, errors


def test_a_refused_file_is_decoded_once(caller, reads):
    log, errors = reads
    errors.append(UploadError("The file is a text."))
    assert [caller(b"1"), caller(b"1")] == [(None, "The file is a text.")] * 2
    assert log == [b"1"]
    assert caller(b"2") == (None, "The file is a text.")
    assert log == [b"1", b"2"]


def test_that_the_server_was_busy_is_not_kept(caller, reads):
    log, errors = reads
    errors += [UploadBusyError("Try again."), UploadError("The file is a text.")]
    assert [caller(b"1") for _ in range(3)] == [(None, "Try again.")] + [(None, "The file is a text.")] * 2
    assert len(log) == 2


def test_an_argument_that_a_file_makes_impossible_is_an_outcome_and_a_fault_is_not():
    def raising(error):
        def work():
            raise error

        return work

    assert visitor_files.outcome(raising(ArgumentError("Too small."))) == (None, "Too small.")
    assert visitor_files.outcome(lambda: 3) == (3, None)
    with pytest.raises(ZeroDivisionError):
        visitor_files.outcome(raising(ZeroDivisionError()))


class Server:
    """A runtime that knows one session."""

    def is_active_session(self, session):
        return session == "here"


@pytest.mark.parametrize(("session", "has_left"), [("here", False), ("gone", True)])
def test_a_session_that_is_gone_ends_its_run(monkeypatch, session, has_left):
    class Run:
        session_id = session

    monkeypatch.setattr(visitor_files, "get_script_run_ctx", lambda suppress_warning: Run)
    monkeypatch.setattr(visitor_files.runtime, "exists", lambda: True)
    monkeypatch.setattr(visitor_files.runtime, "get_instance", Server)
    monkeypatch.setattr(st, "stop", lambda: (_ for _ in ()).throw(StopException()))
    if has_left:
        with pytest.raises(StopException):
            visitor_files.leave_if_left()
    else:
        visitor_files.leave_if_left()


def test_without_a_session_nobody_leaves():
    visitor_files.leave_if_left()
