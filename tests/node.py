"""Runs a component's pure JavaScript under node; tests are skipped where node is missing, but never in CI."""

import json
import os
import shutil
import subprocess

import pytest

from spcviz.web.view.mount import PACKAGE, pack

NODE = shutil.which("node")
needs_node = pytest.mark.skipif(
    NODE is None and not os.environ.get("CI"),
    reason="node is not installed: the browser's code cannot run here",
)


def node():
    """Path of node; where CI is set, a test that needs it fails if it is missing."""
    if NODE is None:
        pytest.fail("node is not installed, and CI may not skip what compares the browser with the engine")
    return NODE


def run_node(tmp_path, core, body, data):
    """Run `body`, a module that imports a component's core, on `data`; returns the JSON that it prints.

    `data` may contain arrays: it is packed as a component's data are.
    """
    for script in PACKAGE.rglob("*.js"):
        copy = tmp_path / script.relative_to(PACKAGE)
        copy.parent.mkdir(parents=True, exist_ok=True)
        copy.write_text(script.read_text(encoding="utf-8"))
    (tmp_path / "package.json").write_text('{"type": "module"}')
    (tmp_path / "data.bin").write_bytes(pack(data))
    (tmp_path / "main.js").write_text(
        f"import * as core from './{core}'; import {{ readFileSync }} from 'fs';\n"
        "import { openData } from './web/view/elements.js';\n"
        "const data = openData(new Uint8Array(readFileSync(new URL('./data.bin', import.meta.url))));\n"
        + body
    )
    done = subprocess.run([node(), tmp_path / "main.js"], capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)
