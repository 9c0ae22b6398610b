"""Compare what a full memory evicts: a class's requests, recorded and replayed under two policies.

A class of forty opens and tries every page, twice, on a server whose memory has no limit and that notes every
request to `spcviz.web.cached.memory`. The replay counts the seconds for which values that were evicted would
have been computed again, by the app's own budget and by one that evicts what was not requested for longest.

    python -m benchmarks.app.eviction [TRACE]     a TRACE that is a file is only replayed, else written
"""

import asyncio
import json
import sys
import tempfile
from collections import OrderedDict
from collections.abc import Hashable, Iterable
from pathlib import Path
from typing import Any

from benchmarks.app.load import crowd
from benchmarks.app.server import Server
from spcviz.web.cached import memory
from spcviz.web.ui import navigation

N, PERIOD, SECONDS, ROUNDS = 40, 1.5, 6.0, 2
MEGABYTES = 250, 350, 450, 550, 600, 700
SERVE = "serve"


class Recorder(memory.MemoryBudget):
    """A budget without a limit that writes each request to a file, as a line of JSON."""

    def __init__(self, path: str) -> None:
        super().__init__(sys.maxsize)
        self._file = Path(path).open("w", buffering=1, encoding="utf-8")  # noqa: SIM115  # until it ends
        self._numbers: dict[Hashable, int] = {}

    def touch(self, name: Hashable, value: Any) -> None:
        super().touch(name, value)
        self._note("use", name)

    def add_held(self, name: Hashable, forget: Any, held: memory.Held, seconds: float) -> None:
        super().add_held(name, forget, held, seconds)
        self._note("add", name, held.n_bytes, held.large, seconds)

    def remove(self, name: Hashable) -> None:
        super().remove(name)
        self._note("remove", name)

    def _note(self, what: str, name: Hashable, *more: Any) -> None:
        number = self._numbers.setdefault(name, len(self._numbers))
        self._file.write(json.dumps([what, number, *more]) + "\n")


class OldestFirst(memory.MemoryBudget):
    """Evicts what was not requested for longest, and counts bytes as the app's own budget does."""

    def __init__(self, most: int) -> None:
        super().__init__(most)
        self._order: OrderedDict[Hashable, None] = OrderedDict()

    def _weigh(self, name: Hashable, entry: Any) -> None:
        self._order[name] = None
        self._order.move_to_end(name)

    def _leaving(self) -> list[tuple[Hashable, Any]]:
        going = []
        while self.n_bytes > self.most and len(self._entries) > 1:
            name, _ = self._order.popitem(last=False)
            if name in self._entries:
                going.append((name, self._entries[name]))
                self._remove(name)
        return going


POLICIES = {"greedy-dual": memory.MemoryBudget, "oldest first": OldestFirst}


class Recorded(Server):
    """The app's server with a `Recorder` for its memory."""

    def __init__(self, trace: Path) -> None:
        super().__init__()
        self.streamlit = "-m", __spec__.name, SERVE, str(trace)


def serve(trace: str) -> None:
    """Run streamlit's command line in this process, whose memory is recorded."""
    from streamlit.web import cli

    memory.MEMORY = Recorder(trace)
    del sys.argv[1:3]
    cli.main(prog_name="streamlit")


async def act(server: Server) -> None:
    """Let a class open and try every page, page by page, then all pages at once."""
    pages = [*navigation.names()]
    for turn in range(ROUNDS):
        for page in pages:
            done = await crowd(server.port, page, N, within=2.0, period=PERIOD, seconds=SECONDS, seed=turn)
            sys.stderr.write(f"{page}: {len(done.reruns)} actions, {server.memory_mb():.0f} MB\n")
        mixed = {"within": 3.0, "period": 2.0, "seconds": 4 * SECONDS, "seed": turn}
        await asyncio.gather(*(crowd(server.port, page, max(1, N // len(pages)), **mixed) for page in pages))


def read(trace: Path) -> list[tuple[Any, ...]]:
    """Requests of a trace: ("add", number, memory, seconds), ("use", number) or ("remove", number)."""
    requests = []
    for line in trace.read_text(encoding="utf-8").splitlines():
        what, number, *more = json.loads(line)
        if more:
            n_bytes, large, seconds = more
            more = [memory.Held(n_bytes, {int(array): size for array, size in large.items()}, False), seconds]
        requests.append((what, number, *more))
    return requests


def replay(requests: Iterable[tuple[Any, ...]], budget: memory.MemoryBudget) -> tuple[int, float]:
    """Values that were evicted and requested again, and the seconds that it takes to compute them."""
    known: dict[int, tuple[memory.Held, float]] = {}
    here: set[int] = set()
    n_again, seconds = 0, 0.0
    for what, number, *more in requests:
        if what == "remove":  # by the call that keeps it: that happens under each policy
            budget.remove(number)
            here.discard(number)
        elif what == "use" and number in here:
            budget.touch(number, None)
        elif what == "add" or number in known:
            if more:
                known[number] = more[0], more[1]
            else:
                n_again, seconds = n_again + 1, seconds + known[number][1]
            held, took = known[number]
            here.add(number)
            budget.add_held(number, here.discard, held, took)
    return n_again, seconds


def main() -> None:
    """Record a class, or read a trace; print what is computed again under each policy."""
    if sys.argv[1:2] == [SERVE]:
        return serve(sys.argv[2])
    with tempfile.TemporaryDirectory() as folder:
        trace = Path(sys.argv[1]) if sys.argv[1:] else Path(folder, "trace.jsonl")
        if not trace.is_file():
            with Recorded(trace) as server:
                asyncio.run(act(server))
        requests = read(trace)
    for megabytes in MEGABYTES:
        for name, kind in POLICIES.items():
            n, seconds = replay(requests, kind(megabytes * 1_000_000))
            sys.stdout.write(f"{megabytes:5} MB, {name}: {n:6} values again, {seconds:8.1f} s\n")


if __name__ == "__main__":
    main()
