"""What the components share: one module each, bytes as text."""

import subprocess

import pytest

from spcviz.components.common import mount
from spcviz.components.lattice import component as lattice
from spcviz.components.policy import component as policy
from spcviz.components.trade import component as trade_off
from tests.components.node import NODE, needs_node


@needs_node
@pytest.mark.parametrize("component", [lattice, trade_off, policy], ids=lambda c: c.__name__.split(".")[-1])
def test_the_parts_make_one_module(tmp_path, component):
    path = tmp_path / "whole.mjs"
    path.write_text(mount.script(component.PARTS), encoding="utf-8")
    done = subprocess.run([NODE, "--check", path], capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    heads = [line for line in path.read_text().splitlines() if line.startswith(("import", "export"))]
    assert len(heads) == 1
    assert heads[0].startswith("export default mounted(")


def test_integers_that_do_not_fit_are_refused():
    with pytest.raises(ValueError, match="too small"):
        mount.pack([2**40], "<i4")
