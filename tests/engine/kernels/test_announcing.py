"""The line that says that kernels compile: once, of the front door only, on standard error."""

import os
import subprocess
import sys

CODE = """
import numba
import {door}
numba.njit(lambda x: x + 1)(1)  # a user's own kernel
{call}
{call}
"""


def run(tmp_path, door, call):
    changed = {"SPCVIZ_JIT_DIR": str(tmp_path), "NUMBA_OPT": "0"}
    done = subprocess.run(
        [sys.executable, "-c", CODE.format(door=door, call=call)],
        env=os.environ | changed, capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert not done.stdout
    return done.stderr


def test_the_first_call_says_that_it_compiles(tmp_path):
    call = "spcviz.from_emissions([[[0.0, 1.0]]]).decode()"
    first, second = run(tmp_path, "spcviz", call), run(tmp_path, "spcviz", call)
    assert first.startswith(f"spcviz: compiling for this machine, some seconds (once; kept in {tmp_path}")
    assert len(first.splitlines()) == 1
    assert second == ""


def test_whoever_calls_the_engine_itself_hears_nothing(tmp_path):
    call = "spcviz.engine.chains.chain.decode([[0.0, 1.0]], [[0.0, 0.0], [0.0, 0.0]])"
    assert run(tmp_path, "spcviz.engine.chains.chain", call) == ""
