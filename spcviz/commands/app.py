"""``app``: start the app on this machine, optionally with the user's own file open."""

import argparse
import os
import subprocess
import sys
from pathlib import Path

from spcviz.engine import extras
from spcviz.engine.errors import SpcvizError
from spcviz.shared.folders import APP

HELP = "start the app; with FILE, that file is open on the page Your data"
OPEN_FILE = "SPCVIZ_OPEN_FILE"
"""Environment variable that passes the file's path to the page."""


def add_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("file", type=Path, nargs="?", metavar="FILE", help="CoNLL, CSV or scores (.npz)")
    parser.add_argument("--port", type=int, default=8501, help="of the server (default: 8501)")


def run(options: argparse.Namespace) -> int | None:
    from spcviz.engine import checks  # imports numba, which is too slow for --help

    port = checks.integer("--port", options.port, 1, 65535)
    environment, page = dict(os.environ), ""
    if options.file is not None:
        environment[OPEN_FILE], page = str(_readable(options.file)), "data"
    extras.require("streamlit", "this command")
    print(f"http://localhost:{port}/{page}", flush=True)
    command = [sys.executable, "-m", "streamlit", "run", str(APP / "app.py"), "--server.port", str(port)]
    with subprocess.Popen(command, env=environment) as server:
        try:
            return server.wait()
        except KeyboardInterrupt:  # the server receives Ctrl-C too
            return server.wait()


def _readable(path: Path) -> Path:
    """The absolute path of a file that exists and can be read."""
    if not path.is_file():
        raise SpcvizError(f"FILE must be a file, got {str(path)!r}")
    with path.open("rb"):
        return path.resolve()
