"""Load test: a class that works on a task, and phones that solve one in a lecturer's room.

Students release the lattice's alpha slider once a second. With the task open, the server evaluates its check
and sends a new live line each time, so the same class without a task is measured alternately, with the same
seeds. Then phones open the task of a room, each in its own session, and solve it at different moments; the
figure is how long the lecturer's screen takes to count an answer that a phone has sent.
"""

import asyncio
import json
import time
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, NamedTuple

from streamlit.proto.WidgetStates_pb2 import WidgetState

from benchmarks.app import classes, hostile_client
from benchmarks.app.load import crowd
from benchmarks.app.visitor import Lost, Visitor
from spcviz.web.course import task as tasks

TASK = "L2"
PAGE, LATTICE = "letters", "spcviz_lattice"
N_STUDENTS, PERIOD, SECONDS, TURNS = 40, 1.0, 15.0, 3
N_PHONES, COME_SECONDS, SOLVE_SECONDS, WAIT_SECONDS = 200, 20.0, 30.0, 10.0
"""Phones; seconds within which all arrive, within which all solve it, and for the screen at the end."""
GOALS = {"p95_ms": 400.0, "seen_p95_ms": 1000.0}


class Pupil(Visitor):
    """A session on Letters that releases the alpha slider, with a task or without one."""

    def __init__(self, port: int, page: str, query: str, said: list[str]):
        super().__init__(port, page, query)
        self.said, self.is_over, self._n_acts = said, False, 0

    async def act(self, rng):
        """Release the alpha slider somewhere."""
        return await self.let_go(round(float(rng.random()), 3))

    async def let_go(self, alpha: float):
        """Release the first level's alpha: a `Ran`; `Lost` where the page shows no lattice."""
        found = (w for w in self.widgets.values() if w.kind == "bidi_component")
        lattice = next((w for w in found if w.element.component_name.endswith(LATTICE)), None)
        if lattice is None:
            raise Lost("the page shows no lattice")
        self._n_acts += 1
        view = {"alphas": [alpha, *[None] * 5], "level": 1, "step": 4, "cell": "", "reveal": "shown",
                "seq": self._n_acts, "dragging": False, "pin_a": "", "pin_b": ""}  # fmt: skip
        state = WidgetState(id=lattice.id, json_value=json.dumps({"view": view}))
        return await self.run(lattice._replace(state=state))

    def _widget(self, delta, shown):
        if delta.WhichOneof("type") == "new_element":
            element = delta.new_element
            is_bar = element.bidi_component.component_name.endswith("spcviz_course")
            if element.WhichOneof("type") == "bidi_component" and is_bar:
                asked = unpack_values(element.bidi_component.bytes).get("open") or {}
                self.is_over = bool(asked.get("isOver"))
                if asked.get("live"):
                    self.said.append(asked["live"])
        super()._widget(delta, shown)


def unpack_values(data: bytes) -> dict[str, Any]:
    """The JSON values in bytes from `mount.pack`; empty for anything else."""
    size = int.from_bytes(data[:4], "little")
    try:
        value = json.loads(data[4 : 4 + size])
    except ValueError:
        return {}
    return value if isinstance(value, dict) else {}


class Solved(NamedTuple):
    """The times at which a phone solved the task."""

    let_go: float
    sent: float  # of its answer
    taken: float  # when the server had accepted it
    status: int


def query_of(is_asked: bool) -> str:
    """The address of the task's start, or the same page without it."""
    state = tasks.every()[TASK].start.partition("?")[2]
    return f"{state}&ask={TASK}" if is_asked else state


async def measure(server: Any, scale: float, rest: Callable, tick: Callable) -> list[dict[str, Any]]:
    """The rows: a class without a task, with it, and phones in a room; each after ``await rest(server)``."""
    n, seconds = max(2, round(N_STUDENTS * scale)), SECONDS * min(scale, 1)
    done: dict[bool, list] = {False: [], True: []}
    said: dict[bool, list[str]] = {False: [], True: []}
    for seed in range(max(1, round(TURNS * min(scale, 1)))):
        for is_asked in (False, True):
            await rest(server)
            tick(f"{n} students on {PAGE} {describe_class(is_asked)}, turn {seed + 1}")
            kind = partial(Pupil, query=query_of(is_asked), said=said[is_asked])
            how = {"within": 1.0, "period": PERIOD, "seconds": max(2.0, seconds), "seed": seed}
            done[is_asked].append(await crowd(server.port, PAGE, n, kind=kind, **how))
    rows = [row_of(n, is_asked, done[is_asked], said[is_asked]) for is_asked in (False, True)]
    await rest(server)
    n = max(2, round(N_PHONES * scale))
    tick(f"{n} phones solve {TASK} in a room")
    return [*rows, await room(server.port, n, min(scale, 1))]


def describe_class(is_asked: bool) -> str:
    """A class in words."""
    return "with a task open" if is_asked else "without a task"


def row_of(n: int, is_asked: bool, turns: Sequence, said: Sequence[str]) -> dict[str, Any]:
    """Figures of a class over its rounds."""
    times = [ran.ms for turn in turns for ran in turn.reruns]
    faults = [fault for turn in turns for fault in turn.faults]
    return {
        "what": describe_class(is_asked), "is_asked": is_asked, "sessions": n, "turns": len(turns),
        "p50_ms": hostile_client.percentile(times, 50), "p95_ms": hostile_client.percentile(times, 95),
        "actions": len(times), "skipped": sum(turn.n_skipped for turn in turns),
        "kb_rerun": hostile_client.percentile([ran.kb for turn in turns for ran in turn.reruns], 50),
        "lines": len(said), "exceptions": len(faults), "faults": sorted(set(faults))[:10],
    }  # fmt: skip


async def room(port: int, n: int, share: float) -> dict[str, Any]:
    """A row: phones that solve the task, and how late the lecturer's screen counts them."""
    lecturer, number = await classes.open_class(port)
    link = f"{PAGE}?ask={TASK}&in={number}"
    asked = {"code": f"task/{TASK}", "ask": tasks.every()[TASK].ask, "choices": ["I have it"], "link": link}
    await lecturer.ask("POST", f"/room/{number}/put", json.dumps(asked).encode())
    looks: list[tuple[float, int]] = []
    wall = asyncio.create_task(_look(lecturer, number, looks))
    come, solve = COME_SECONDS * share, SOLVE_SECONDS * share
    solved: list[Solved] = []
    faults: list[str] = []
    phones = (_solve(port, number, come * at / n, come, solve * at / n, solved, faults) for at in range(n))
    await asyncio.gather(*phones)
    end = time.perf_counter() + WAIT_SECONDS
    while time.perf_counter() < end and (not looks or looks[-1][1] < len(solved)):
        await asyncio.sleep(classes.LOOKS)
    wall.cancel()
    await lecturer.ask("POST", f"/room/{number}/close")
    return of_phones(n, solved, looks, faults)


async def _look(lecturer, number, looks):
    """Poll the counts as often as a lecturer's screen does."""
    while True:
        status, content = await lecturer.ask("GET", f"/room/{number}/now")
        if status == 200:
            looks.append((time.perf_counter(), json.loads(content)["answers"]))
        await asyncio.sleep(classes.LOOKS)


async def _solve(port, number, delay, come, later, solved, faults):
    """A phone: the room's page, its link, the slider, and the answer that the bar sends automatically."""
    phone, began = classes.Browser(port), time.perf_counter()
    await asyncio.sleep(delay)
    await phone.ask("GET", f"/room/{number}")
    status, content = await phone.ask("GET", f"/room/{number}/now")
    pupil = Pupil(port, PAGE, f"{query_of(True)}&in={number}", [])
    try:
        if status != 200:
            raise Lost(f"the room answered {status}")
        await pupil.open()
        await asyncio.sleep(max(0.0, began + come + later - time.perf_counter()))
        let_go = time.perf_counter()
        alpha = float(tasks.state_of(tasks.every()[TASK].solved)["a1"])
        ran = await pupil.let_go(alpha)
        faults += ran.shown
        if not pupil.is_over:
            raise Lost("the task is not solved where it should be")
        answer = {"n": json.loads(content)["n"], "value": 0, "found": tasks.every()[TASK].solved}
        sent = time.perf_counter()
        status, _ = await phone.ask("POST", f"/room/{number}/answer", json.dumps(answer).encode())
        solved.append(Solved(let_go, sent, time.perf_counter(), status))
    except Lost as error:
        faults.append(str(error))
    finally:
        await pupil.close()


def of_phones(
    n: int, solved: Sequence[Solved], looks: Sequence[tuple[float, int]], faults: Sequence[str]
) -> dict[str, Any]:
    """Figures of phones: the k-th answer that the server accepted is seen by the first poll that counts k."""
    taken = sorted((one for one in solved if one.status == 200), key=lambda one: one.taken)
    seen, whole = [], []
    for k, one in enumerate(taken, start=1):
        at = next((moment for moment, count in looks if count >= k), None)
        if at is not None:
            seen.append(1000 * max(0.0, at - one.sent))
            whole.append(1000 * max(0.0, at - one.let_go))
    return {
        "phones": n, "solved": len(solved), "refused": sum(one.status != 200 for one in solved),
        "counted": len(seen), "looks": len(looks),
        "seen_p50_ms": hostile_client.percentile(seen, 50),
        "seen_p95_ms": hostile_client.percentile(seen, 95),
        "whole_p95_ms": hostile_client.percentile(whole, 95),
        "exceptions": len(faults), "faults": sorted(set(faults))[:10],
    }  # fmt: skip


def holds(rows: Sequence[dict[str, Any]]) -> bool:
    """Whether the class with a task and the phones meet all goals."""
    with_task = next(row for row in rows if row.get("is_asked"))
    phones = next(row for row in rows if "phones" in row)
    is_counted = phones["counted"] == phones["phones"] and phones["seen_p95_ms"] <= GOALS["seen_p95_ms"]
    is_quick = with_task["p95_ms"] is not None and with_task["p95_ms"] <= GOALS["p95_ms"]
    return is_counted and is_quick and not any(row["exceptions"] for row in rows)
