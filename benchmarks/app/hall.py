"""Load test of a full lecture hall: simulated visitors drive the app's server over its websocket.

The server is left alone until it is warm. Every page is opened and tried once, because a class does not wait
for what a page computes once for all visitors; then the server is left alone again. The visitors run in this
process, whose share of a core and clock lag are measured, too: a slow client would measure itself.
"""

import asyncio
import time
from collections.abc import Callable
from typing import Literal

import numpy as np

from benchmarks.app import classes, files, hostile_client, lessons, load, page_figures, passing
from benchmarks.app.load import crowd, send_malformed, visits
from benchmarks.app.server import Server, ServerError
from benchmarks.app.visitor import Follower, Lost, Visitor
from spcviz.engine import checks
from spcviz.engine.errors import ArgumentError
from spcviz.shared.report import describe
from spcviz.web.tours import tour

N_CROWD, CROWD_PERIOD, CROWD_SECONDS = 40, 1.0, 8.0
N_HALL, HALL_PERIOD, HALL_SECONDS, HALL_PAGE = 200, 3.0, 18.0, "letters"
TOUR_PERIOD, TOUR_GOAL_MS = 2.0, 1500.0  # seconds from scene to scene; p95 of a scene for 40 students
N_VISITS, N_MALFORMED, N_TRIED = 1000, 200, 10
GOALS = {
    N_CROWD: {"p50_ms": 100.0, "p95_ms": 400.0, "arrival_p95_ms": 1000.0},
    N_HALL: {"p95_ms": 2000.0},
}
"""Goals by number of visitors, for a scale of 1."""

HOSTILE, FILES, COURSE, PASSING = PARTS = "hostile", "files", "course", "passing"

IDLE = 0.1  # CPU seconds per second below which a server rests
IDLE_FOR, IDLE_SECONDS = 8, 900.0  # such seconds in a row; how long to wait for that
"""Background loading waits 5 s after a visitor: fewer in a row would mistake that for rest."""


def bench_app(
    *,
    scale: float = 1.0,
    pages: str | None = None,
    only: Literal["hostile", "files", "course", "passing"] | None = None,
    port: int | None = None,
    tick: Callable = lambda text: None,
) -> dict:
    """Drive the app as a class does; ``rows`` are crowds, one per page, with figures of `load` and
    `page_figures`.

    `pages` are URL paths separated by commas ("home" is the first), all by default; if named, tours and
    the class next to hostile clients are left out. `only` measures just that class ("hostile"), or one that
    no other run has: next to hostile files ("files"), working on a task, with phones that solve it
    ("course"), or next to visitors who all save a loop or request a card at the same moment ("passing").
    `scale` is 0.01 .. 10.
    """
    scale = checks.number("scale", scale, 0.01, 10.0)
    if only not in (None, *PARTS):
        names = ", ".join(map(repr, PARTS))
        raise ArgumentError(f"only must be one of {names}, got {only!r:.60}")
    with Server(port) as server:
        if only:
            return asyncio.run(_measure_part(server, only, scale, tick))
        return asyncio.run(_measure(server, scale, pages.split(",") if pages else [], tick))


async def _measure_part(server, only, scale, tick):
    started = time.perf_counter()
    tick("waiting until the server rests")
    await _titles(server.port)
    await _until_idle(server)
    idle_mb = server.memory_mb()
    for page in _TRIED[only]:
        tick(f"trying {page}")
        await _try(server.port, page, round(max(1, N_TRIED * min(scale, 1))))
    if only == FILES:
        parts = {"beside": [], "files": [await files.siege(server, scale, _until_idle, tick)]}
    elif only == COURSE:
        parts = {"beside": [], "course": await lessons.measure(server, scale, _until_idle, tick)}
    elif only == PASSING:
        parts = {"beside": [], "passing": await passing.rows(server, scale, _until_idle, tick)}
    else:
        rows = await hostile_client.sieges(server, scale, _until_idle, tick)
        parts = {
            "beside": rows,
            "classes": await classes.rows(server.port, scale, hostile_client.percentile, tick),
        }
    return describe(
        "bench-app", "this project's goals for a class", [], baselines=[],
        settings={"scale": scale, "goals": _goals()}, data={}, **parts,
        server=_of_server(server, idle_mb), wall_seconds=round(time.perf_counter() - started, 1),
    )  # fmt: skip


_TRIED = {
    HOSTILE: hostile_client.PAGES,
    FILES: (hostile_client.PAGE, files.DATA, files.POSE),
    COURSE: (lessons.PAGE,),
    PASSING: (passing.PAGE,),
}
"""Pages that are opened before a part is measured."""


def _of_server(server, idle_mb):
    return {"idle_mb": idle_mb, "end_mb": server.memory_mb(), "logged_tracebacks": server.tracebacks()}


async def _measure(server, scale, wanted, tick):
    started = time.perf_counter()
    tick("waiting until the server rests")
    # A server may begin to warm up when its first visitor has been served.
    titles = await _titles(server.port)
    pages = _choose(titles, wanted)
    first_pictures = await load.first_pictures(pages, tick)
    first_visits = await load.first_visits(pages, tick)
    start_page, n_start = pages[0] if wanted else HALL_PAGE, max(2, round(N_CROWD * scale))
    at_start = await load.class_at_start(start_page, n_start, tick)
    await _until_idle(server)
    idle_mb = server.memory_mb()
    for page in pages:
        tick(f"trying {titles[page]}")
        await _try(server.port, page, round(max(1, N_TRIED * min(scale, 1))))
    await _until_idle(server)  # the first visits made it load the rest
    sizes = tuple(page_figures.SIZES)[: None if scale >= 1 else 1]
    in_browser = await page_figures.measure_pages(server.port, pages, tick, sizes=sizes)
    clock = asyncio.create_task(_watch_clock(lags := []))
    cpu, wall = time.process_time(), time.perf_counter()
    rows = []
    for seed, (page, n, within, period, seconds) in enumerate(_plan(pages, scale)):
        tick(f"{titles[page]}: {n} visitors, one action in {period:g} s")
        used, began = server.cpu_seconds(), time.perf_counter()
        done = await crowd(server.port, page, n, within=within, period=period, seconds=seconds, seed=seed)
        share = _share(server.cpu_seconds(), used, time.perf_counter() - began)
        figures = {
            "server_cores": share,
            "first_picture_cold_ms": first_pictures.get(page),
            "first_visit_ms": first_visits.get(page),
        }
        rows.append(_row(titles[page], n, within, period, done) | figures | in_browser.get(page, {}))
    tours = [
        await _follow(server.port, name, scale, tick) for name in (tour.shipped_tours() if not wanted else ())
    ]
    await _until_idle(server)
    n_visits, n_malformed = (max(10, round(n * scale)) for n in (N_VISITS, N_MALFORMED))
    tick(f"{n_visits} visits")
    came = await visits(server.port, pages, n_visits, seed=0, memory=server.memory_mb)
    hostile = await hostile_client.sieges(server, scale, _until_idle, tick) if not wanted else []
    flooded = await classes.rows(server.port, scale, hostile_client.percentile, tick) if not wanted else []
    await _until_idle(server)
    n_logged = server.tracebacks()  # from here on the log is full of complaints about bad messages
    tick(f"{n_malformed} malformed messages")
    bad = await send_malformed(server.port, pages[0], n_malformed, seed=0, is_alive=server.is_alive)
    clock.cancel()
    client = {
        "cores": round((time.process_time() - cpu) / (time.perf_counter() - wall), 3),
        "lag_p95_ms": hostile_client.percentile(lags, 95),
    }
    warmed = "every page opened and tried by one visitor, then the server left alone until it rests"
    return describe(
        "bench-app", "this project's goals for a class", rows, baselines=[],
        settings={"scale": scale, "warmed": warmed, "goals": _goals()},
        data={}, tours=tours, visits=_of_visits(came), malformed=_of_malformed(bad),
        server=_of_server(server, idle_mb) | {"logged_tracebacks": n_logged}, beside=hostile,
        classes=flooded,
        at_start={
            "page": titles[start_page], "sessions": n_start,
            "arrival_p95_ms": hostile_client.percentile(at_start, 95),
        },
        client=client, wall_seconds=round(time.perf_counter() - started, 1),
    )  # fmt: skip


async def _follow(port, name, scale, tick):
    """One student plays a tour, then a class follows it at once."""
    played = tour.shipped_tours()[name]
    n, n_steps = max(2, round(N_CROWD * scale)), len(tour.codes(played))
    how = {"within": 1.0, "period": TOUR_PERIOD, "seed": 0, "kind": Follower}
    tick(f"tour “{played.title}”: {n} students")
    await crowd(port, name, 1, seconds=TOUR_PERIOD * n_steps, **how | {"period": 0.05})
    done = await crowd(port, name, n, seconds=TOUR_PERIOD * n_steps * min(scale, 1), **how)
    return _row(played.title, n, 1.0, TOUR_PERIOD, done) | {"tour": name, "goal_p95_ms": TOUR_GOAL_MS}


def _goals():
    return [{"sessions": n} | goals for n, goals in GOALS.items()]


def _plan(pages, scale):
    """(page, visitors, seconds in which they arrive, period, seconds of acting) of every crowd."""
    n, hall = (max(2, round(n * scale)) for n in (N_CROWD, N_HALL))
    for page in pages:
        yield page, n, 1.0, CROWD_PERIOD, max(1.0, CROWD_SECONDS * min(scale, 1))
    if HALL_PAGE in pages:
        yield HALL_PAGE, hall, hall / 20, HALL_PERIOD, max(3.0, HALL_SECONDS * min(scale, 1))


async def _titles(port):
    """Path and title of every page."""
    visitor = Visitor(port, "")
    for attempt in range(6):  # the server may still be compiling
        try:
            await visitor.open()
            break
        except Lost as error:
            if attempt == 5:
                raise ServerError(f"the app's server shows no page: {error}") from error
    await visitor.close()
    return visitor.pages


def _choose(paths, wanted):
    wanted = ["" if page == "home" else page for page in wanted] or list(paths)
    for page in wanted:
        if page not in paths:
            names = ", ".join(name or "home" for name in paths)
            raise ArgumentError(f"pages must be some of {names}, got {page!r}")
    return wanted


async def _try(port, page, n):
    """One visitor opens a page and acts some times, so that one-time computations are done."""
    visitor, rng = Visitor(port, page), np.random.default_rng(1)
    for attempt in range(1 + n):
        try:
            await (visitor.act(rng) if attempt else visitor.open())
        except Lost:  # a crowd will find it as well, and count it
            break
    await visitor.close()


async def _until_idle(server):
    """Wait until the server is idle, if the system reports its CPU time."""
    end, before, n_idle = time.monotonic() + IDLE_SECONDS, server.cpu_seconds(), 0
    while before is not None and n_idle < IDLE_FOR and time.monotonic() < end:
        await asyncio.sleep(1)
        now = server.cpu_seconds() or before
        n_idle = n_idle + 1 if now - before < IDLE else 0
        before = now


async def _watch_clock(lags):
    """How late this process wakes up, in ms, which is added to every time it measures."""
    while True:
        start = time.perf_counter()
        await asyncio.sleep(0.05)
        lags.append(1000 * (time.perf_counter() - start - 0.05))


def _share(after, before, seconds):
    return None if after is None or before is None else round((after - before) / seconds, 2)


def _row(title, n, within, period, done):
    """A crowd's figures."""
    return {
        "page": title,
        "sessions": n,
        "p50_ms": hostile_client.percentile([ran.ms for ran in done.reruns], 50),
        "p95_ms": hostile_client.percentile([ran.ms for ran in done.reruns], 95),
        "exceptions": len(done.faults),
        "kb_first": hostile_client.percentile([ran.kb for ran in done.first], 50),
        "kb_rerun": hostile_client.percentile([ran.kb for ran in done.reruns], 50),
        "arrival_p50_ms": hostile_client.percentile([ran.ms for ran in done.first], 50),
        "arrival_p95_ms": hostile_client.percentile([ran.ms for ran in done.first], 95),
        "arrived_within_s": within,
        "period_s": period,
        "actions": len(done.reruns),
        "skipped": done.n_skipped,
        "faults": _count(done.faults),
    }


def _of_visits(came):
    """Growth of memory after the first fifth, which fills caches and the store of resumable sessions."""
    known = [(n, mb) for n, mb in came.memory if mb is not None]
    n = came.memory[-1][0]
    after = next((mb for at, mb in known if at >= n / 5), None)
    return {
        "visits": n,
        "cut_off": came.n_cut,
        "p50_ms": hostile_client.percentile(came.ms, 50),
        "p95_ms": hostile_client.percentile(came.ms, 95),
        "exceptions": len(came.faults),
        "faults": _count(came.faults),
        "memory_mb": [mb for _, mb in known],
        "growth_mb": round(known[-1][1] - after, 1) if known else None,
    }


def _of_malformed(bad):
    return {
        "messages": bad.n,
        "faults": len(bad.faults),
        "what": _count(bad.faults),
        "shown_to_sender": _count(bad.shown),
    }


def _count(texts):
    return {text: texts.count(text) for text in sorted(set(texts))}
