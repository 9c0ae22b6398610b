"""Debian's headless Firefox over WebDriver BiDi: opens pages, runs JavaScript in them, collects errors."""

import contextlib
import itertools
import json
import shutil
import socket
import subprocess
import time

import pytest

connect = pytest.importorskip("websockets.sync.client", reason="websockets is not installed").connect

FIREFOX = shutil.which("firefox-esr") or shutil.which("firefox")
_PREFS = 'user_pref("network.proxy.type", 0); user_pref("browser.shell.checkDefaultBrowser", false);\n'


class Firefox:
    """One window of a running Firefox."""

    def __init__(self, socket_):
        self._socket, self._numbers = socket_, itertools.count(1)
        self.wrong = []
        self.ask("session.new", capabilities={})
        self.ask("session.subscribe", events=["log.entryAdded"])
        self.context = self.ask("browsingContext.getTree")["contexts"][0]["context"]

    def ask(self, method, **params):
        """Send a command and return its result; errors that Firefox logs meanwhile go to `wrong`."""
        number = next(self._numbers)
        self._socket.send(json.dumps({"id": number, "method": method, "params": params}))
        while True:
            said = json.loads(self._socket.recv(timeout=60))
            if said.get("method") == "log.entryAdded" and said["params"]["level"] == "error":
                self.wrong.append(said["params"]["text"])
            if said.get("id") == number:
                assert said["type"] == "success", said
                return said["result"]

    def open(self, address):
        """Go to an address."""
        self.ask("browsingContext.navigate", context=self.context, url=address, wait="complete")

    def evaluate(self, script):
        """The value of a JavaScript expression: a string, a number, a boolean or nothing."""
        asked = {"expression": script, "target": {"context": self.context}, "awaitPromise": True}
        return self.ask("script.evaluate", **asked)["result"].get("value")

    def wait_for(self, condition, seconds=30):
        """Wait until a JavaScript expression is true."""
        ends = time.monotonic() + seconds
        while not self.evaluate(condition):
            assert time.monotonic() < ends, f"{condition} did not come true; {self.wrong}"
            time.sleep(0.2)

    def press(self, key):
        """Press a key, given by its WebDriver code."""
        acts = [{"type": "keyDown", "value": key}, {"type": "keyUp", "value": key}]
        source = {"type": "key", "id": "keyboard", "actions": acts}
        self.ask("input.performActions", context=self.context, actions=[source])


@contextlib.contextmanager
def running(folder):
    """A Firefox with a fresh profile in a folder; skips the test where Firefox is not installed."""
    if FIREFOX is None:
        pytest.skip("Firefox is not installed")
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    (folder / "user.js").write_text(_PREFS)
    command = [
        FIREFOX,
        "--headless",
        "--no-remote",
        "--profile",
        str(folder),
        "--remote-debugging-port",
        str(port),
    ]
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        with _connected(port) as connection:
            yield Firefox(connection)
    finally:
        process.terminate()
        process.wait(timeout=30)


def _connected(port):
    for _ in range(120):
        with contextlib.suppress(OSError):
            return connect(f"ws://127.0.0.1:{port}/session", max_size=None)
        time.sleep(0.5)
    pytest.fail("Firefox did not open its port")
