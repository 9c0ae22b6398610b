"""The line that announces compiling kernels: once per process, for this package alone, on request."""

import subprocess
import sys
from types import SimpleNamespace

from numba.core import event as events

from spcviz.engine.kernels import announcing, kernel_cache


def compiling(module):
    """The event that numba raises when it begins to compile a function."""
    dispatcher = SimpleNamespace(py_func=SimpleNamespace(__module__=module))
    return events.Event("numba:compile", events.EventStatus.START, {"dispatcher": dispatcher})


def test_it_is_said_once_and_only_of_this_package(capsys):
    line = announcing._Announcer()
    line.on_start(compiling("my.kernels"))
    line.on_start(events.Event("numba:compile", events.EventStatus.START))
    assert capsys.readouterr() == ("", "")
    for _ in range(2):
        line.on_start(compiling("spcviz.engine.chains.best"))
        line.on_end(compiling("spcviz.engine.chains.best"))
    out, err = capsys.readouterr()
    assert not out
    assert (
        err == f"spcviz: compiling for this machine, some seconds (once; kept in {kernel_cache.folder()})\n"
    )


def test_a_folder_that_cannot_be_used_is_part_of_it(capsys, monkeypatch):
    monkeypatch.setattr(kernel_cache, "folder", lambda: None)
    announcing._Announcer().on_start(compiling("spcviz.engine.chains.best"))
    assert "some seconds (in every process: see SPCVIZ_JIT_DIR)" in capsys.readouterr().err


def test_the_front_door_asks_for_it_and_files_alone_do_not():
    code = (
        "import sys, spcviz as sp\n"
        "sp.read_conll\nprint('spcviz.engine.kernels.announcing' in sys.modules)\n"
        "sp.ChainCRF\nsp.CascadeTagger\n"
        "from spcviz.engine.kernels import announcing\nprint(len(announcing._LINES))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["False", "1"]
