"""Load test: a class next to one hostile client of each kind (`benchmarks.app.hostile`), and without any.

It measures the students' actions, the time to first byte of a new visitor, and the memory of the server with
all its children above that at rest. The client runs in a separate process on the same cores, niced: the
students' times are those of a server that has a little less than the machine.
"""

import asyncio
import contextlib
import sys

import numpy as np

from benchmarks.app import hostile
from benchmarks.app.load import crowd

PAGES = ("letters", "pose", "trade_off")
"""Pages of the students and of the hostile clients, which are tried once before."""
N_STUDENTS, PERIOD, SECONDS, PAGE = 40, 1.0, 15.0, "letters"
BEFORE, EVERY = 3.0, 0.25
"""Seconds that the client runs before the class arrives; seconds from one new visitor to the next."""
GOALS = {"p95_ms": 250.0, "first_byte_p95_ms": 300.0, "memory_mb": 1200.0}
QUIET = "nobody"


async def sieges(server, scale, rest, tick):
    """The rows, each after ``await rest(server)``: without a hostile client, then with one of each kind."""
    rows = []
    for kind in (QUIET, *hostile.KINDS):
        await rest(server)
        tick(f"{max(2, round(N_STUDENTS * scale))} students on {PAGE} beside: {_describe(kind)}")
        rows.append(await _beside(server, kind, scale))
    return rows


def _describe(kind):
    return " ".join(map(str, hostile.KINDS[kind][1:])) if kind in hostile.KINDS else kind


async def _beside(server, kind, scale):
    seconds, at_rest, sizes, waits = SECONDS * min(scale, 1), server.family_mb(), [], []
    process = await _client(kind, server.port, BEFORE + seconds + 1.0)
    watchers = [asyncio.create_task(watch) for watch in (_weigh(server, sizes), _come(server.port, waits))]
    try:
        await asyncio.sleep(BEFORE if process else 0)
        waits.clear()
        n = max(2, round(N_STUDENTS * scale))
        done = await crowd(server.port, PAGE, n, within=1.0, period=PERIOD, seconds=seconds, seed=0)
        n_asked = int((await process.communicate())[0] or 0) if process else 0
    finally:
        for watcher in watchers:
            watcher.cancel()
        if process and process.returncode is None:
            process.kill()
            await process.wait()
    times = [ran.ms for ran in done.reruns]
    return {
        "client": kind, "what": _describe(kind), "sessions": n, "asked": n_asked,
        "p50_ms": percentile(times, 50), "p95_ms": percentile(times, 95),
        "arrival_p95_ms": percentile([ran.ms for ran in done.first], 95),
        "actions": len(times), "skipped": done.n_skipped,
        "first_byte_p50_ms": percentile(waits, 50), "first_byte_p95_ms": percentile(waits, 95),
        "first_byte_max_ms": percentile(waits, 100), "exceptions": len(done.faults),
        "memory_mb": None if at_rest is None else round(max([*sizes, at_rest]) - at_rest, 1),
    }  # fmt: skip


async def _client(kind, port, seconds):
    if kind == QUIET:
        return None
    command = ("-m", "benchmarks.app.hostile", kind, str(port), str(seconds))
    return await asyncio.create_subprocess_exec(sys.executable, *command, stdout=asyncio.subprocess.PIPE)


async def _weigh(server, sizes):
    while True:
        if (now := server.family_mb()) is not None:
            sizes.append(now)
        await asyncio.sleep(0.5)


async def _come(port, waits):
    """New visitors arrive at intervals, whether or not the previous one has been served."""
    async with asyncio.TaskGroup() as group:
        while True:
            group.create_task(_serve(port, waits))
            await asyncio.sleep(EVERY)


async def _serve(port, waits):
    with contextlib.suppress(OSError):
        waits.append(await hostile.first_byte(port))


def percentile(values, q):
    """A percentile rounded to a tenth; None without values."""
    return round(float(np.percentile(values, q)), 1) if len(values) else None


def holds(row, goals=GOALS):
    """Whether a row meets all goals."""
    return not row["exceptions"] and all(row[n] is not None and row[n] <= goals[n] for n in goals)
