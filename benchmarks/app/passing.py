"""Load test: forty visitors save a loop or a card at the same moment, next to a class that keeps working.

All of them press Loop, or Card, within the same second, each on another word of Letters; loops go through the
Save menu's queue, which is polled with its ticket as a browser does. The test measures the seconds until each
has its file, whether it is the requested one, and the actions of a class on the same page meanwhile.
"""

import asyncio
import io
import json
import time
from collections.abc import Callable
from typing import Any, NamedTuple

from PIL import Image

from benchmarks.app import hostile_client
from benchmarks.app.classes import Browser
from benchmarks.app.load import crowd
from spcviz.problems.letters.page import cached

N_PASSING, PAGE = 40, "letters"
CLASS_SECONDS = 10.0
"""Seconds for which the class acts before anyone saves, and in one round during the saving."""

PATIENCE = 300.0
"""Seconds after which a visitor gives up."""

GOALS = {"slowest_s": 60.0, "p95_ms": 400.0}


class Thing(NamedTuple):
    """A kind of file that visitors save to pass on."""

    name: str
    path: str  # with {word} for a word's number, and {size} for the page's address in a query
    kind: str  # of the file, as Pillow calls it
    frames: int  # that it has at least
    goal_s: float  # until a visitor alone has it


THINGS = (
    Thing("loops", "/save/webp?scene=letters%3Fword%3D{word}&ticket={ticket}", "WEBP", 4, 4.0),
    Thing("cards", "/card/letters.png?word={word}", "PNG", 1, 0.8),
)


async def rows(server: Any, scale: float, rest: Callable, tick: Callable) -> list[dict[str, Any]]:
    """A row for each of `THINGS`, and one for both at once; before them one visitor alone."""
    n = max(2, round(N_PASSING * scale))
    words = _words(1 + n * (len(THINGS) + 1))
    await rest(server)
    alone = {}
    for thing in THINGS:  # the second word: the first may load what stays loaded
        tick(f"one visitor alone: {thing.name}")
        for word in words[:2]:
            alone[thing.name] = await fetch(server.port, thing, word)
    made = []
    for at, things in enumerate([*[(one,) for one in THINGS], THINGS]):
        await rest(server)
        mine = words[2 + at * n :][:n]
        tick(f"{n} visitors ask for {_name(things)} at once")
        made.append(await _at_once(server.port, things, mine, n) | _alone(things, alone))
    return made


def _name(things):
    return " and ".join(one.name for one in things)


def _alone(things, alone):
    return {
        "alone_s": {one.name: alone[one.name]["seconds"] for one in things if not alone[one.name]["wrong"]}
    }


def _words(n):
    """Numbers of `n` different words of Letters, without the page's own first word."""
    _, *others = dict.fromkeys(cached.letters_ids(next(iter(cached.LETTERS_FEATURES)), ("convenient",)))
    return others[:n]


async def _at_once(port, things, words, n):
    how = {"within": 1.0, "period": hostile_client.PERIOD}
    quiet = await crowd(port, PAGE, n, seconds=CLASS_SECONDS, **how, seed=0)
    asking = [asyncio.create_task(fetch(port, thing, word)) for thing in things for word in words]
    times, faults, turn = [], [], 1
    while not all(one.done() for one in asking):
        done = await crowd(port, PAGE, n, seconds=CLASS_SECONDS, **how, seed=turn)
        times += [ran.ms for ran in done.reruns]
        faults += done.faults
        turn += 1
    before = [ran.ms for ran in quiet.reruns]
    return row_of(_name(things), [one.result() for one in asking], n, before, times, faults)


def row_of(what, passed, n, before, times, faults) -> dict[str, Any]:
    """Figures of the visitors who saved something, and of the class next to them."""
    seconds = sorted(one["seconds"] for one in passed)
    return {
        "what": what, "sessions": n, "asked": len(passed),
        "made": sum(not one["wrong"] for one in passed),
        "wrong": sorted({one["wrong"] for one in passed if one["wrong"]})[:10],
        "p50_s": seconds[len(seconds) // 2], "slowest_s": seconds[-1],
        "largest_kb": round(max(one["bytes"] for one in passed) / 1000),
        "before_p95_ms": hostile_client.percentile(before, 95),
        "p50_ms": hostile_client.percentile(times, 50), "p95_ms": hostile_client.percentile(times, 95),
        "actions": len(times), "exceptions": len(faults), "faults": sorted(set(faults))[:10],
    }  # fmt: skip


def holds(row: dict[str, Any]) -> bool:
    """Whether every visitor got the file, and the row meets all goals."""
    return row["made"] == row["asked"] and hostile_client.holds(row, GOALS)


async def fetch(port: int, thing: Thing, word: int) -> dict[str, Any]:
    """Save one file as a visitor: seconds, bytes, and any fault."""
    visitor, began, ticket = Browser(port), time.perf_counter(), ""
    status, content = 0, b""
    await visitor.ask("GET", "/letters")  # a browser has opened the page, and was given its token
    began = time.perf_counter()
    while time.perf_counter() - began < PATIENCE:
        status, content = await visitor.ask("GET", thing.path.format(word=word, ticket=ticket))
        if status != 202:
            break
        ticket = json.loads(content)["ticket"]
    wrong = _wrong(thing, status, content)
    return {"seconds": round(time.perf_counter() - began, 2), "bytes": len(content), "wrong": wrong}


def _wrong(thing, status, content):
    """The fault of an answer; "" if it is the requested picture."""
    if status != 200:
        return f"{status}: {content[:200].decode(errors='replace')}" if status else "no answer"
    try:
        with Image.open(io.BytesIO(content)) as picture:
            picture.load()
            n = getattr(picture, "n_frames", 1)
            return "" if picture.format == thing.kind and n >= thing.frames else f"{picture.format} of {n}"
    except OSError as error:
        return f"no picture: {error}"
