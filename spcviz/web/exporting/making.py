"""Visitors' files made step by step, in processes that have everything loaded and fork for each request.

A page is opened (`steps`), and a loop written (`animation`), by children of two fork servers
(`spcviz.shared.confined`), with the limits of a `Task`; each ends with its request. In between, Chromium
draws: it takes more address space than any limit would allow, so it runs outside them, started by the server
and kept for the next request (`chromium`).
"""

import contextlib
from collections.abc import Callable
from types import ModuleType

from spcviz.engine.errors import ArgumentError
from spcviz.shared.confined import fork_server
from spcviz.shared.confined.asking import Answer, ask
from spcviz.shared.confined.limits import NICE, LateError, Task
from spcviz.web.cached import ownership
from spcviz.web.exporting import animation, chromium, drawing, loops, page, steps

SECONDS = 180.0
"""Time limit for saving."""

BROWSERS = chromium.Browsers(drawing.require_browser, NICE)
ownership.hold(lambda _: BROWSERS.end(chromium.IDLE))


def _task(module: ModuleType, function: str, server: str) -> Task:
    return Task(
        work=f"{module.__name__}:{function}", ready=f"{module.__name__}:load", memory=2 << 30,
        cpu_seconds=120, seconds=round(SECONDS), descriptors=512, most_in=256 << 20, most_out=64 << 20,
        may_write=True, server=server,
    )  # fmt: skip


OPEN, WRITE = _task(steps, "open_page", "saving"), _task(animation, "write_loop", "writing")


def make_file(
    kind: str, address: str, width: int, dark: bool, glance: Callable[[], None] = lambda: None
) -> bytes:
    """Make a file of a page, its Python or its loop: `kind` is "page", "python", "svg" or of `loops.KINDS`.

    `glance` is called ten times a second: an error that it raises ends the work and is passed on. Raises
    `ArgumentError` with a sentence for the visitor, `LateError` if the work exceeded its limits.
    """
    about = {"kind": kind, "address": address, "dark": dark}
    warm = (page.scene_of(address).page,)
    if kind in steps.WHOLE:
        return bytes(_body(ask(OPEN, about, warm=warm, glance=glance)))
    scale = width // loops.WIDTHS[0]
    with _browser() as draw:  # it starts while the page is opened
        answer = ask(OPEN, about, warm=warm, glance=glance)
        is_there = not (answer.problem or answer.fault)
        pngs, told = draw(bytes(answer.body), scale, glance) if is_there else ([], "")
    _body(answer)
    if kind != "svg":
        about = loops.taking_of(address, told, scale)._asdict()
        about |= {"kind": kind, "sizes": [len(png) for png in pngs]}
        return bytes(_body(ask(WRITE, about, b"".join(pngs), glance=glance)))
    if (moving := loops.moving_of(told)) is None:
        raise ArgumentError("this page has no lattice that could move; choose WebP, GIF or MP4")
    return moving.encode()


def wake(address: str) -> None:
    """Prepare to make a loop of this address soon: a visitor looks at the options of a loop.

    Raises `ArgumentError` if the address belongs to no page, or nothing here can draw.
    """
    fork_server.wake(fork_server.Request(OPEN, (page.scene_of(address).page,)))
    fork_server.wake(fork_server.Request(WRITE))
    if chromium.HAS_PIPES:
        BROWSERS.wake()


@contextlib.contextmanager
def _browser():
    """A function that draws a sheet, given its HTML, the resolution, and `glance`."""
    if not chromium.HAS_PIPES:
        yield lambda html, scale, _: loops.draw(html.decode(), scale)
        return
    with BROWSERS.borrow() as one:
        yield lambda html, scale, glance: one.draw(html, loops.WINDOW, scale, loops.wanted_of, glance)


def _body(answer: Answer) -> memoryview:
    if answer.fault == "long":
        raise LateError("This page takes too long to be saved.")
    if answer.problem or answer.fault:
        raise ArgumentError(answer.problem or "This page could not be saved.")
    return answer.body
