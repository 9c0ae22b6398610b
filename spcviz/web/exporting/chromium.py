"""A Chromium process that stays for a while and draws one page of our own after another, driven by a pipe.

Starting it takes a third of the time of a loop, and a private window as long as the page in it (the list that
drops down below its address bar is a page of four hundred scripts). So all pages get their own tab in one
private window, which stores nothing on the disk and is kept open by an empty tab. The data that a page stored
are cleared before the next page and when its tab is closed, so that no page finds data of another. Chromium
listens only to us (a pipe, no port), fetches nothing that a page's own policy does not allow, and ends with
the pipe, however this process ends.
"""

import base64
import contextlib
import json
import os
import select
import signal
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

from spcviz.engine.errors import ArgumentError

try:
    import fcntl
except ImportError:  # on Windows
    fcntl = None  # type: ignore[assignment]

HAS_PIPES = hasattr(os, "posix_spawn")
"""Whether a browser can be given the ends of the pipe as it needs them: as descriptors 3 and 4."""

SECONDS = 120.0
"""Time limit for drawing a page."""

MOST_PAGES, IDLE = 50, 60.0
"""Pages after which a browser is ended, and seconds without a page."""

_GLANCE = 0.1
_MOST = 256 << 20  # bytes of a message
_PIPE = 1 << 20
"""Bytes that fit in the pipe from the browser: by default a picture takes a dozen reads, and in a busy
server each waits for the interpreter's lock.
"""
HINTING = "--font-render-hinting=slight"
"""The hinting of text in browsers with windows, where the system has no settings; those without windows have
another default."""
_FLAGS = (
    "--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--remote-debugging-pipe",
    "--disable-background-networking", "--disable-extensions", "--no-first-run", "--disable-component-update",
    "--disable-background-timer-throttling", "--disable-renderer-backgrounding",
    "--disable-backgrounding-occluded-windows", "--renderer-process-limit=1", HINTING,
)  # fmt: skip
"""A single process lays out all pages, one after the other: none has to be started for a page."""
_BEHIND = """
import ctypes, os, sys
os.nice(int(sys.argv[1]))
try:
    ctypes.CDLL(None).prctl(24, 23, 0, 0, 0)  # PR_CAPBSET_DROP, CAP_SYS_NICE
except (OSError, AttributeError):
    pass
os.execv(sys.argv[2], sys.argv[2:])
"""
"""Started by root, a browser raises the priority of its parts above all other processes, unless forbidden."""

_SAID = """new Promise((done) => {
  const look = () => {
    const text = document.getElementById("out")?.textContent;
    text ? done(text) : setTimeout(look, 10);
  };
  look();
})"""


class Shots(NamedTuple):
    """Requested pictures of a page: its upper left corner after ``show(0)``, ``show(1)``, ..."""

    n: int
    width: int
    height: int


Wanted = Callable[[str], Shots | None]
"""Chooses the pictures of a page from the text of its ``out``; None for no picture at all."""


class LostError(ArgumentError):
    """The browser has ended, or no longer answers."""


class _Process:
    """A process with some of our descriptors under given numbers, and no others."""

    def __init__(self, command: list[str], descriptors: dict[int, int]) -> None:
        least = max(descriptors) + 1
        high = {number: fcntl.fcntl(own, fcntl.F_DUPFD_CLOEXEC, least) for number, own in descriptors.items()}
        nothing = [(os.POSIX_SPAWN_OPEN, number, os.devnull, os.O_RDWR, 0) for number in range(3)]
        handed = [(os.POSIX_SPAWN_DUP2, own, number) for number, own in high.items()]
        try:
            self.pid = os.posix_spawn(command[0], command, os.environ, file_actions=[*nothing, *handed])
        finally:
            for own in high.values():
                os.close(own)
        self._is_over = False

    def has_ended(self) -> bool:
        self._is_over = self._is_over or os.waitpid(self.pid, os.WNOHANG)[0] == self.pid
        return self._is_over

    def wait(self, seconds: float = 60.0) -> bool:
        """Wait for its end; return whether it came within `seconds`."""
        end = time.monotonic() + seconds
        while not self.has_ended() and time.monotonic() < end:
            time.sleep(0.01)
        return self._is_over

    def kill(self) -> None:
        if not self.has_ended():
            os.kill(self.pid, signal.SIGKILL)


class Chromium:
    """One browser, for one thread at a time; `niceness` lowers its priority below other processes."""

    def __init__(self, path: str, niceness: int = 0) -> None:
        self.n_pages, self.used = 0, time.monotonic()
        self._folder = tempfile.TemporaryDirectory(prefix="spcviz-chromium-", ignore_cleanup_errors=True)
        self._said, self._number = bytearray(), 0
        self._window = ""  # Chromium's id of the private one
        theirs_in, self._out = os.pipe()
        self._in, theirs_out = os.pipe()
        with contextlib.suppress(OSError, AttributeError):  # on Linux alone
            fcntl.fcntl(self._in, fcntl.F_SETPIPE_SZ, _PIPE)
        command = [path, *_FLAGS, f"--user-data-dir={self._folder.name}/profile", "about:blank"]
        if niceness:
            command = [sys.executable, "-I", "-S", "-c", _BEHIND, str(niceness), *command]
        try:
            self._process = _Process(command, {3: theirs_in, 4: theirs_out})
        except OSError:
            for end in (self._out, self._in):
                os.close(end)
            self._folder.cleanup()
            raise
        finally:
            os.close(theirs_in)
            os.close(theirs_out)

    @property
    def is_alive(self) -> bool:
        """Whether it has not ended on its own."""
        return not self._process.has_ended()

    def close(self) -> None:
        """End it and delete its files."""
        for end in (self._out, self._in):
            with contextlib.suppress(OSError):
                os.close(end)
        self._process.wait(2)
        self._process.kill()
        self._process.wait()
        self._folder.cleanup()

    def draw(
        self,
        html: str | bytes,
        size: tuple[int, int],
        scale: int,
        wanted: Wanted,
        glance: Callable[[], None] = lambda: None,
    ) -> tuple[list[bytes], str]:
        """Draw a page; return its pictures and its own description: (PNGs, the text of its ``out``).

        The page is laid out in a window of `size` and drawn at `scale` times the resolution, once its ``out``
        has a text. Its function ``show`` draws one of the `wanted` pictures, and returns a promise. `glance`
        is called ten times a second, and any error that it raises is passed on.
        """
        self.n_pages += 1
        self.used = time.monotonic()
        page = Path(self._folder.name, f"page-{self.n_pages}.html")
        page.write_bytes(html.encode() if isinstance(html, str) else html)
        try:
            shown = self._of_page(page.as_uri(), size, scale, wanted, glance)
        finally:
            page.unlink()
        self.used = time.monotonic()
        return shown

    def _open_window(self, glance):
        """Open the private window, with the tab that keeps it open: a window closes with its last tab."""
        self._window = self._ask("Target.createBrowserContext", glance)["browserContextId"]
        self._ask("Target.createTarget", glance, url="about:blank", browserContextId=self._window)

    def _of_page(self, address, size, scale, wanted, glance):
        if not self._window:
            self._open_window(glance)
        tab = self._ask("Target.createTarget", glance, url="about:blank", browserContextId=self._window)
        attached = self._ask("Target.attachToTarget", glance, targetId=tab["targetId"], flatten=True)

        def ask(method, **params):
            return self._ask(method, glance, session=attached["sessionId"], **params)

        width, height = size
        window = {"width": width, "height": height, "deviceScaleFactor": scale, "mobile": False}
        ask("Emulation.setDeviceMetricsOverride", **window)
        still = {"name": "prefers-reduced-motion", "value": "reduce"}
        ask("Emulation.setEmulatedMedia", features=[still])
        stored = {"origin": "file://", "storageTypes": "all"}
        ask("Storage.clearDataForOrigin", **stored)  # data that an earlier page stored while closing
        ask("Page.navigate", url=address)
        shown = self._shots(ask, wanted)
        ask("Storage.clearDataForOrigin", **stored)
        self._ask("Target.closeTarget", glance, targetId=tab["targetId"])
        return shown

    def _shots(self, ask, wanted):
        """The requested pictures of the page that is shown, and the text of its ``out``."""
        told = ask("Runtime.evaluate", expression=_SAID, awaitPromise=True, returnByValue=True)
        text = told.get("result", {}).get("value")
        if not isinstance(text, str):
            raise LostError("the browser that draws has drawn nothing")
        if (shots := wanted(text)) is None:
            return [], text
        clip = {"x": 0, "y": 0, "width": shots.width, "height": shots.height, "scale": 1}
        pictures = []
        for k in range(shots.n):
            ask("Runtime.evaluate", expression=f"show({k})", awaitPromise=True)
            shot = ask("Page.captureScreenshot", format="png", optimizeForSpeed=True, clip=clip)
            pictures.append(base64.b64decode(shot["data"]))
        return pictures, text

    def _ask(
        self, method: str, glance: Callable[[], None], session: str = "", **params: Any
    ) -> dict[str, Any]:
        """Send the browser a command of its protocol; return its answer."""
        self._number += 1
        about = {"id": self._number, "method": method, "params": params}
        message = json.dumps(about | ({"sessionId": session} if session else {})).encode() + b"\0"
        try:
            while message:
                message = message[os.write(self._out, message) :]
        except OSError as error:
            raise LostError("the browser that draws has ended") from error
        end = time.monotonic() + SECONDS
        while time.monotonic() < end:
            glance()
            for answer in self._receive_messages():
                if answer.get("id") == self._number:
                    if "error" in answer:
                        raise LostError(f"the browser that draws refused {method}")
                    return answer["result"]
        raise LostError("the browser that draws says nothing any more")

    def _receive_messages(self) -> Iterator[dict[str, Any]]:
        """Messages received so far, after a moment at most; they include unrequested events."""
        if select.select([self._in], [], [], _GLANCE)[0]:
            piece = os.read(self._in, 1 << 20)
            if not piece or len(self._said) > _MOST:
                raise LostError("the browser that draws has ended")
            self._said += piece
            *whole, rest = self._said.split(b"\0") if b"\0" in piece else (self._said,)
            self._said = bytearray(rest)
            yield from map(json.loads, whole)


class Browsers:
    """Browsers that wait for the next page: each draws one at a time, and is ended when idle for long."""

    def __init__(self, path: Callable[[], str], niceness: int) -> None:
        self._path, self._niceness = path, niceness
        self._waiting: list[Chromium] = []
        self._lock = threading.Lock()

    @contextlib.contextmanager
    def borrow(self) -> Iterator[Chromium]:
        """Lend a browser to one block; a browser with any failure is not used again."""
        with self._lock:
            one = self._waiting.pop() if self._waiting else None
        if one is not None and not one.is_alive:
            one.close()
            one = None
        one = one or Chromium(self._path(), self._niceness)
        try:
            yield one
        except BaseException:
            one.close()
            raise
        if one.n_pages >= MOST_PAGES:
            one.close()
            return
        with self._lock:
            self._waiting.append(one)

    def wake(self) -> None:
        """Have a browser ready; it starts in parallel to other work."""
        with self._lock:
            if not self._waiting:
                self._waiting.append(Chromium(self._path(), self._niceness))

    def end(self, idle: float = 0.0) -> None:
        """End those that have waited for `idle` seconds."""
        with self._lock:
            over = [one for one in self._waiting if time.monotonic() - one.used >= idle]
            self._waiting = [one for one in self._waiting if one not in over]
        for one in over:
            one.close()

    def __len__(self) -> int:
        return len(self._waiting)
