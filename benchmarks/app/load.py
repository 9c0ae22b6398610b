"""Load tests: crowds, visits that come and go, malformed messages, and the first minute of a server.

The first minute, on a machine with no compiled kernel, is each page's first picture; on one that has them
all, the first visitor of a server that has just started, and a class that arrives there at once.
"""

import asyncio
import tempfile
import time
from typing import NamedTuple

import numpy as np
from streamlit.proto.BackMsg_pb2 import BackMsg

from benchmarks.app.server import Server
from benchmarks.app.visitor import Lost, Ran, Visitor

CUT_OFF = 0.3  # share of the visits that end in the middle of a run
AT_ONCE = 10  # visits under way at a time
WITNESS_EVERY = 20  # malformed messages; then another visitor's page has to work
PICTURES = ("bidi_component", "plotly_chart", "imgs", "arrow_data_frame", "arrow_table")
"""Kinds of elements that count as a page's picture; the bar of a tour, a component too, does not."""


class Crowd(NamedTuple):
    """Measurements of a crowd."""

    first: list[Ran]
    reruns: list[Ran]
    faults: list[str]  # exceptions shown, runs lost
    n_skipped: int  # moments at which a visitor would have acted, had the previous run been done
    seconds: float  # for which they acted


async def crowd(port, page, n, *, within, period, seconds, seed, kind=Visitor):
    """`n` visitors open a page (or followers a tour) within some seconds; then each acts once a period.

    An action waits for the end of the previous one; moments missed because of that are counted, so that a
    server that cannot keep up does not look idle.
    """
    done = Crowd([], [], [], 0, seconds)
    visitors = [kind(port, page) for _ in range(n)]
    rngs = np.random.default_rng(seed).spawn(n)
    are_in = await asyncio.gather(*(_arrive(v, within * at / n, done) for at, v in enumerate(visitors)))
    start = time.perf_counter()
    skipped = await asyncio.gather(
        *(
            _keep_acting(v, rng, start + period * at / n, start + seconds, period, done)
            for at, (v, rng, is_in) in enumerate(zip(visitors, rngs, are_in))
            if is_in
        )
    )
    await asyncio.gather(*(v.close() for v in visitors))
    return done._replace(n_skipped=sum(skipped))


async def _arrive(visitor, delay, done):
    await asyncio.sleep(delay)
    return await _note(visitor.open(), done.first, done.faults)


async def _keep_acting(visitor, rng, moment, end, period, done):
    """Acts at each moment until the end; returns how many moments were missed."""
    n_skipped = 0
    while moment < end:
        now = time.perf_counter()
        if now > moment + period:  # the previous run took so long that this moment is over
            n_skipped += 1
        else:
            await asyncio.sleep(moment - now)
            if not await _note(visitor.act(rng), done.reruns, done.faults):
                return n_skipped
        moment += period
    return n_skipped


async def _note(run, into, faults):
    """Record a run's figures and faults; returns whether it came to its end."""
    try:
        ran = await run
    except Lost as error:
        faults.append(str(error))
        return False
    into.append(ran)
    faults.extend(ran.shown)
    return True


class Visits(NamedTuple):
    """Measurements of visits that come and go."""

    ms: list[float]  # until the first whole run, of those that stayed for it
    n_cut: int  # how many left in the middle
    faults: list[str]
    memory: list[tuple[int, float]]  # visits so far and the server's megabytes


async def visits(port, pages, n, *, seed, memory):
    """`n` visits in turn to all pages, some of them cut off in the middle of their first run."""
    rng = np.random.default_rng(seed)
    each = (pages[i % len(pages)] for i in range(n))
    plan = iter([(page, bool(rng.random() < CUT_OFF), int(rng.integers(4))) for page in each])
    stayed, faults, seen, state = [], [], [(0, memory())], {"done": 0, "cut": 0}

    async def come_and_go():
        for page, is_cut, n_messages in plan:
            visitor = Visitor(port, page)
            if is_cut:
                state["cut"] += await _cut_off(visitor, n_messages, faults)
            else:
                await _note(visitor.open(), stayed, faults)
                await visitor.close()
            state["done"] += 1
            if state["done"] % max(1, n // 20) == 0:
                seen.append((state["done"], memory()))

    await asyncio.gather(*(come_and_go() for _ in range(AT_ONCE)))
    return Visits([ran.ms for ran in stayed], state["cut"], faults, seen)


async def _cut_off(visitor, n_messages, faults):
    """Open a page and leave after some messages; returns whether the run was still under way."""
    try:
        await visitor.connect()
        await visitor.send(visitor.message().SerializeToString())
    except Lost as error:
        faults.append(str(error))
        return False
    is_under_way = True
    for _ in range(n_messages):
        _, message = await visitor.receive()
        is_under_way = message.WhichOneof("type") != "script_finished"
        if not is_under_way:
            break
    visitor.cut()
    return is_under_way


class Malformed(NamedTuple):
    """Effects of messages that no browser sends."""

    n: int  # sent
    faults: list[str]  # the server died, or another visitor's page did not work
    shown: list[str]  # exceptions that the sender's own page showed


async def send_malformed(port, page, n, *, seed, is_alive):
    """Send `n` malformed messages, each in its own session; another visitor must be served meanwhile."""
    rng, witness, faults, shown = np.random.default_rng(seed), Visitor(port, page), [], []
    if not await _note(witness.open(), [], faults):
        return Malformed(0, faults, shown)
    kinds = list(_MALFORMED)
    for i in range(n):
        if not is_alive():
            faults.append(f"the server died after {i} malformed messages")
            break
        sender = Visitor(port, page)
        try:
            await sender.open()
            data = _MALFORMED[kinds[i % len(kinds)]](sender, rng)
            await sender.send(data)
            async with asyncio.timeout(1):
                shown += (await sender.rest())[1]
        except (Lost, TimeoutError):
            pass  # refused, or no run followed: either is fine
        await sender.close()
        if i % WITNESS_EVERY == WITNESS_EVERY - 1 or i == n - 1:
            await _note(witness.act(rng), [], faults)
    await witness.close()
    return Malformed(n, faults, shown)


def _noise(sender, rng):
    return rng.bytes(int(rng.integers(0, 400)))


def _text(sender, rng):
    return "{" * int(rng.integers(1, 40))


def _truncate(sender, rng):
    data = sender.message().SerializeToString()
    return data[: int(rng.integers(len(data)))]


def _flip(sender, rng):
    data = bytearray(sender.message().SerializeToString())
    for at in rng.integers(0, len(data), 5):
        data[at] ^= 1 << int(rng.integers(8))
    return bytes(data)


def _rerun(name, make):
    """A valid message of a rerun, except for one field."""

    def made(sender, rng):
        back = sender.message()
        setattr(back.rerun_script, name, make(sender, rng))
        return back.SerializeToString()

    return made


def _unknown(sender, rng):
    return rng.bytes(16).hex()


def _unknown_widgets(sender, rng):
    back = sender.message()
    for _ in range(20):
        back.rerun_script.widget_states.widgets.add(id=f"$$ID-{rng.bytes(16).hex()}-None", int_value=1)
    return back.SerializeToString()


def _bad_address(sender, rng):
    names = [pair.partition("=")[0] for pair in sender.query.split("&") if pair] + list(ADDRESS_NAMES)
    values = ("abc", "-1", "1e999", "nan", "%00", "%F0%9F%98%80", "9" * 300, "%27%22%3Cb%3E", "..%2F..")
    return "&".join(f"{name}={rng.choice(values)}" for name in names)


def _other_message(sender, rng):
    kinds = ("clear_cache", "load_git_info", "stop_script", "debug_shutdown_runtime", "set_run_on_save")
    return BackMsg(**{str(rng.choice(kinds)): True}).SerializeToString()


ADDRESS_NAMES = ("word", "level", "step", "a1", "alpha", "seed", "show", "view", "text", "budget", "spend",
                 "k")  # fmt: skip
"""Names in the addresses of pages; a page must ignore those that it does not have."""

_MALFORMED = {
    "noise": _noise,
    "text": _text,
    "cut off": _truncate,
    "bits": _flip,
    "page": _rerun("page_script_hash", _unknown),
    "fragment": _rerun("fragment_id", _unknown),
    "widgets": _unknown_widgets,
    "address": _rerun("query_string", _bad_address),
    "long address": _rerun("query_string", lambda sender, rng: "word=" + "1" * 100_000),
    "others": _other_message,
}


async def first_pictures(pages: list[str], tick) -> dict[str, float | None]:
    """{page: ms to its first picture, or its end if it has none; None: lost} on one server that compiles."""
    times = {}
    with tempfile.TemporaryDirectory(prefix="spcviz-cold-") as folder, Server(kernels=folder) as server:
        for page in pages:
            tick(f"{page or 'home'}: first picture with no compiled kernel")
            times[page] = await _first_picture(server.port, page)
    return times


async def _first_picture(port, page):
    visitor, start = Visitor(port, page), time.perf_counter()
    try:
        await visitor.connect()
        await visitor.send(visitor.message().SerializeToString())
        while True:
            _, message = await visitor.receive()
            if is_picture(message) or message.WhichOneof("type") == "script_finished":
                return round(1000 * (time.perf_counter() - start), 1)
    except Lost:
        return None
    finally:
        await visitor.close()


async def first_visits(pages: list[str], tick) -> dict[str, float | None]:
    """{page: ms until the first visitor of a separate server has the whole page; None: lost}."""
    times = {}
    for page in pages:
        tick(f"{page or 'home'}: the first visitor of a server")
        with Server() as server:
            visitor = Visitor(server.port, page)
            try:
                times[page] = round((await visitor.open()).ms, 1)
            except Lost:
                times[page] = None
            finally:
                await visitor.close()
    return times


async def class_at_start(page: str, n: int, tick) -> list[float]:
    """Milliseconds until each student of a class has the whole page, on a server that has just started."""
    tick(f"{page or 'home'}: {n} students at a server that has just started")
    with Server() as server:
        done = await crowd(server.port, page, n, within=1.0, period=1.0, seconds=0.0, seed=0)
    return [ran.ms for ran in done.first]


def is_picture(message) -> bool:
    """Whether a message of the server brings a picture of the page's main part."""
    if message.WhichOneof("type") != "delta" or list(message.metadata.delta_path[:1]) != [0]:
        return False
    element = message.delta.new_element
    kind = element.WhichOneof("type")
    if kind == "bidi_component" and element.bidi_component.component_name.endswith("spcviz_tour"):
        return False
    return kind in PICTURES
