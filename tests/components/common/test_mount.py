"""What the components share: one module each, bytes as text."""

import subprocess

import pytest

from spcviz.components.common import mount
from spcviz.components.home.component import HOME_WORD
from spcviz.components.lattice.component import LATTICE
from spcviz.components.policy.component import POLICY
from spcviz.components.trade.component import TRADE_OFF
from tests.components.node import needs_node, node, run_node

COMPONENTS = pytest.mark.parametrize(
    "component", [LATTICE, TRADE_OFF, POLICY, HOME_WORD], ids=lambda component: component.name
)


@needs_node
@COMPONENTS
def test_the_parts_make_one_module(tmp_path, component):
    path = tmp_path / "whole.mjs"
    path.write_text(mount.script(component.parts), encoding="utf-8")
    done = subprocess.run([node(), "--check", path], capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    heads = [line for line in path.read_text().splitlines() if line.startswith(("import", "export"))]
    assert len(heads) == 1
    assert heads[0].startswith(("export default mounted(", "export default function ("))


@needs_node
@COMPONENTS
def test_the_files_import_what_the_others_export(tmp_path, component):
    kind = run_node(
        tmp_path, component.parts[-1], "process.stdout.write(JSON.stringify(typeof core.default));", None
    )
    assert kind == "function"


def test_integers_that_do_not_fit_are_refused():
    with pytest.raises(ValueError, match="too small"):
        mount.pack([2**40], "<i4")
