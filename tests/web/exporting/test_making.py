"""Child processes that make exports: the same files as the command, with nothing of another visitor."""

import io
import re
import subprocess
import sys
from importlib.metadata import version

import numpy as np
import psutil
import pytest
from PIL import Image, ImageSequence

from spcviz.engine.errors import ArgumentError
from spcviz.shared.confined import fork_server
from spcviz.shared.confined.asking import Answer
from spcviz.shared.confined.limits import LateError
from spcviz.shared.folders import ROOT
from spcviz.web.exporting import drawing, loops, making, page, paper

needs_browser = pytest.mark.skipif(drawing.browser() is None, reason="no Chromium is installed")


TIME = re.compile(r"[\d.,]+ (µs|ms|s)(?=<)")
"""Times in a page: they are measured again."""


def made(kind, address):
    return making.make_file(kind, address, 960, False)


def moments(content):
    """The pictures of a loop: (frames, height, width, 3)."""
    with Image.open(io.BytesIO(content)) as loop:
        return np.stack([np.asarray(one.convert("RGB")) for one in ImageSequence.Iterator(loop)])


def test_a_page_and_its_python_are_those_of_the_command():
    address = "http://localhost:8501/joint_beats_separate?mistakes=1"
    ours, by_command = (TIME.sub("", one) for one in (made("page", address).decode(), page.html(address)))
    assert ours == by_command
    assert made("python", address).decode() == paper.python(address)


@needs_browser
def test_a_loop_is_that_of_the_command_and_the_next_one_has_nothing_of_it():
    made("webp", "tagging?text=Anna+hid+the+letter.")
    address = "tagging?text=The+old+man+the+boats."
    shown, by_command = moments(made("webp", address)), moments(loops.make_loop(address))
    assert shown.shape == by_command.shape
    assert (shown != by_command).any(axis=-1).mean() <= 0.02  # times are measured again
    assert b"Anna" not in made("page", "tagging?text=The+old+man+the+boats.")


@needs_browser
def test_the_svg_of_a_loop_is_the_lattice_that_moves():
    assert b"<animate" in made("svg", "tagging?view=lattice&text=The+old+man+the+boats.")
    with pytest.raises(ArgumentError, match="has no lattice that could move; choose WebP, GIF or MP4"):
        made("svg", "sweep")


def test_what_cannot_be_saved_is_said_by_the_page(monkeypatch):
    monkeypatch.setattr(drawing, "browser", lambda: pytest.fail("a browser was asked for"))
    with pytest.raises(ArgumentError, match="tours has no picture that can be saved"):
        made("page", "tours")
    with pytest.raises(ArgumentError, match="address must begin with one of"):
        made("webp", "http://localhost:8501/../../etc/passwd")


@needs_browser
def test_a_page_on_which_nothing_plays_has_no_loop():
    with pytest.raises(ArgumentError, match="tours has nothing that plays"):
        made("webp", "tours")


@pytest.mark.parametrize(
    ("answer", "error", "sentence"),
    [
        (Answer({}, memoryview(b""), fault="long"), LateError, "takes too long to be saved"),
        (Answer({}, memoryview(b""), fault="memory"), ArgumentError, "This page could not be saved"),
        (Answer({}, memoryview(b""), fault="ended"), ArgumentError, "This page could not be saved"),
        (Answer({}, memoryview(b""), "no lines for it"), ArgumentError, "no lines for it"),
    ],
)
def test_what_became_of_the_work_is_a_sentence(monkeypatch, answer, error, sentence):
    monkeypatch.setattr(making, "ask", lambda *_, **__: answer)
    with pytest.raises(error, match=sentence):
        made("page", "letters")


@pytest.mark.skipif(sys.platform != "linux", reason="other systems need not have these limits")
def test_who_leaves_ends_the_child():
    class Left(Exception):
        pass

    def glance():
        raise Left

    with pytest.raises(Left):
        making.make_file("page", "letters", 960, False, glance)
    process = fork_server._RUNNING["saving"].process
    assert not [one for one in psutil.Process(process.pid).children(recursive=True) if one.name() == "find"]


@pytest.fixture(scope="module")
def ready():
    """Lines in which a process that has everything loaded for loops of Letters describes itself."""
    lines = """
import gc
import sys
import threading
from importlib import metadata
from spcviz.registry import warmup
from spcviz.web.exporting import steps
warmup.is_compiled = lambda name: True  # or it hangs on what other tests have compiled before
steps.load("letters")
print(len(threading.enumerate()))
print(len(gc.get_objects()) < gc.get_freeze_count() / 10)
print(len(list(metadata.distributions())), metadata.version("streamlit"), metadata.entry_points().names)
before, opened = {*sys.modules}, []
sys.addaudithook(lambda event, args: opened.append(str(args[0])) if event == "open" else None)
steps.open_page({"kind": "webp", "address": "letters?word=7", "dark": False}, b"")
shared = "PIL", "plotly", "streamlit", "spcviz.web"
print(sorted(one for one in {*sys.modules} - before if one.startswith(shared)))
print([path for path in opened if not path.endswith(".py")])
"""
    command = [sys.executable, "-W", "ignore", "-c", lines]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert not done.returncode, done.stderr
    return done.stdout.splitlines()


def test_the_process_that_forks_has_one_thread(ready):
    """A process forked while another thread runs may wait forever for a lock that this thread held."""
    assert ready[0] == "1"


def test_the_process_that_forks_has_done_what_all_loops_want(ready):
    """Otherwise each of its children repeats it: imports, and reading of scripts, packages, models."""
    assert ready[2] == f"0 {version('streamlit')} set()"
    assert ready[3:] == ["[]", "[]"]


def test_no_child_loads_a_model_that_any_scene_of_its_page_wants():
    lines = """
import sys
from spcviz.registry import warmup
from spcviz.web.exporting import steps
warmup.is_compiled = lambda name: True
opened = []
sys.addaudithook(lambda event, args: opened.append(str(args[0])) if event == "open" else None)
for name, own in ("tagging", "text=old+men"), ("parsing", "text=old+men"), ("hybrid", "word=20"):
    steps.load(name)
    opened.clear()
    steps.open_page({"kind": "webp", "address": f"{name}?{own}", "dark": False}, b"")
    print(name, [path for path in opened if path.endswith(".npz")])
"""
    command = [sys.executable, "-W", "ignore", "-c", lines]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert not done.returncode, done.stderr
    assert done.stdout.splitlines() == ["tagging []", "parsing []", "hybrid []"]


def test_a_child_looks_for_garbage_among_its_own_things_alone(ready):
    """Otherwise it copies all that its parent has loaded, one memory page after the other."""
    assert ready[1] == "True"
