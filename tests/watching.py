"""Start the app's server as users do, and search its memory for a marker from inside.

``python -m tests.watching PORT`` reads commands from its standard input: "look A B" searches for the text AB
and answers with a line of JSON; "turn SECONDS" moves the clock of visits forward.
"""

import json
import subprocess
import sys
import threading

from benchmarks.app.server import Server
from spcviz.shared.folders import ROOT
from tests import heap

QUIET = {"SPCVIZ_AHEAD": "0"}
"""Nothing is loaded ahead: a search references every tuple for a moment, and one being filled cannot grow."""


class Watched(Server):
    """The same server, started and queried from outside."""

    def _start(self) -> subprocess.Popen:
        return subprocess.Popen(
            [sys.executable, "-m", "tests.watching", str(self.port)], cwd=ROOT, stdin=subprocess.PIPE,
            stdout=subprocess.PIPE, stderr=self._log, env=self._environment | QUIET, start_new_session=True,
        )  # fmt: skip

    def _ask(self, order: str) -> str:
        self._process.stdin.write(f"{order}\n".encode())
        self._process.stdin.flush()
        while not (line := self._process.stdout.readline().decode()).startswith(("[", "null")):
            assert line, "the server has ended"  # first it prints its address
        return line

    def look(self, marker: str) -> list[str]:
        """Holders of a marker in the server's process, each in a few words."""
        return json.loads(self._ask(f"look {marker[:4]} {marker[4:]}"))

    def turn(self, seconds: float) -> None:
        """Move the server's clock forward."""
        self._ask(f"turn {seconds}")


def _obey() -> None:
    from spcviz.web.cached import ownership

    for line in sys.stdin:
        order, *of = line.split()
        if order == "turn":
            ownership.CLOCK.turn(float(of[0]))
            answer = []
        else:
            answer = heap.holders("".join(of))
        del line, of
        sys.stdout.write(json.dumps(answer) + "\n")
        sys.stdout.flush()
        del answer


if __name__ == "__main__":
    from streamlit.web.cli import main

    threading.Thread(target=_obey, daemon=True).start()
    at = ["--server.port", sys.argv[1], "--server.address", "127.0.0.1"]
    main(["run", str(ROOT / "app.py"), *at])
