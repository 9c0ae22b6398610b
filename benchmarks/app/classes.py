"""Load test: a class answers on its phones next to one hostile client of each kind, all behind one address.

A lecturer's screen polls as often as it does in use; `N_PHONES` phones open the room's page, poll every
second or two, answer and change their answers. The test counts refused requests and measures how long the
lecturer's screen waits. ``python -m benchmarks.app.classes KIND PORT SECONDS ROOM`` is a hostile client. One
address for all is the hardest case, and the usual one in a lecture hall.
"""

import asyncio
import contextlib
import itertools
import json
import os
import sys
import time

from benchmarks.app.hostile_client import send_request

N_PHONES, SECONDS, BEFORE = 200, 15.0, 2.0
LOOKS, PHONE_LOOKS = 0.35, 1.75
"""Seconds between two polls of the lecturer's screen, and of a phone."""

GOALS = {"refused": 0, "lecturer_p95_ms": 1000.0}
N_VOTES, N_ROOMS, N_BODIES = 600, 10, 510
QUESTION = {"code": "class/1", "ask": "Noun or verb?", "choices": ["noun", "verb"]}


class Browser:
    """A client with cookies that opens a connection for each request."""

    def __init__(self, port):
        self.port, self.cookies = port, {}

    async def ask(self, method, path, body=b""):
        """(status, bytes) of an answer; 0 if there was none."""
        kept = "; ".join(f"{name}={value}" for name, value in self.cookies.items())
        more = f"Content-Type: application/json\r\nCookie: {kept}\r\n"
        with contextlib.suppress(OSError, IndexError, ValueError):
            head, _, content = (await send_request(self.port, method, path, body, more)).partition(
                b"\r\n\r\n"
            )
            for line in head.decode("latin-1").splitlines():
                name, _, value = line.partition(": ")
                if name.lower() == "set-cookie":
                    cookie, _, text = value.partition(";")[0].partition("=")
                    self.cookies[cookie] = text
            return int(head.split()[1]), content
        return 0, b""


async def open_class(port):
    """(a lecturer's browser, the number of a room with a question)."""
    lecturer = Browser(port)
    status, content = await lecturer.ask("POST", "/room")
    number = json.loads(content)["room"] if status == 200 else 0
    await lecturer.ask("POST", f"/room/{number}/put", json.dumps(QUESTION).encode())
    return lecturer, number


async def _phone(port, number, at, end, codes):
    phone = Browser(port)
    await asyncio.sleep(at % 40 / 20)
    codes.append((await phone.ask("GET", f"/room/{number}"))[0])
    for turn in itertools.count():
        if time.monotonic() > end:
            return
        if turn in (1, 3):
            vote = json.dumps({"n": 1, "value": (at + turn // 2) % 2}).encode()
            codes.append((await phone.ask("POST", f"/room/{number}/answer", vote))[0])
        codes.append((await phone.ask("GET", f"/room/{number}/now"))[0])
        await asyncio.sleep(PHONE_LOOKS)


async def beside(port, kind, scale, percentile):
    """A row: a class for some seconds next to a hostile client, "nobody" for none."""
    seconds, n = SECONDS * min(scale, 1), max(2, round(N_PHONES * scale))
    lecturer, number = await open_class(port)
    client = await _client(kind, port, BEFORE + seconds, number)
    await asyncio.sleep(BEFORE if client else 0)
    end, codes, waits = time.monotonic() + seconds, [], []
    phones = [asyncio.create_task(_phone(port, number, at, end, codes)) for at in range(n)]
    other = []
    while time.monotonic() < end:
        began = time.perf_counter()
        codes.append((await lecturer.ask("GET", f"/room/{number}/now"))[0])
        waits.append(1000 * (time.perf_counter() - began))
        if len(waits) % 10 == 0:  # another lecturer opens a room
            other.append((await open_class(port))[1])
        await asyncio.sleep(LOOKS)
    await asyncio.gather(*phones)
    _, content = await lecturer.ask("GET", f"/room/{number}/now")
    n_asked = int((await client.communicate())[0] or 0) if client else 0
    await lecturer.ask("POST", f"/room/{number}/close")
    return {
        "client": kind, "phones": n, "asked": n_asked, "requests": len(codes),
        "refused": sum(code != 200 for code in codes) + other.count(0),
        "answers": json.loads(content or b"{}").get("answers"), "rooms": len(other),
        "lecturer_p50_ms": percentile(waits, 50), "lecturer_p95_ms": percentile(waits, 95),
    }  # fmt: skip


def holds(row):
    """Whether a row meets all goals."""
    return all(row[name] <= goal for name, goal in GOALS.items())


async def rows(port, scale, percentile, tick):
    """A row for each kind of client, and one without any."""
    made = []
    for kind in ("nobody", *KINDS):
        n = max(2, round(N_PHONES * scale))
        tick(f"a class of {n} phones beside: {describe_client(kind)}")
        made.append(await beside(port, kind, scale, percentile))
    return made


def describe_client(kind):
    """A kind of client in words."""
    return KINDS[kind][1] if kind in KINDS else kind


async def _client(kind, port, seconds, number):
    if kind not in KINDS:
        return None
    command = ("-m", "benchmarks.app.classes", kind, str(port), str(seconds), str(number))
    return await asyncio.create_subprocess_exec(sys.executable, *command, stdout=asyncio.subprocess.PIPE)


async def _votes(port, number, done):
    """Endless votes, each with a token that is fetched for it alone."""

    async def one(at):
        phone = Browser(port)
        await phone.ask("GET", f"/room/{number}")
        vote = json.dumps({"n": 1, "value": 0, "voter": f"{at:032x}"}).encode()
        status, _ = await phone.ask("POST", f"/room/{number}/answer", vote)
        done.append(status)

    await _at_a_rate(N_VOTES, one)


async def _rooms(port, _number, done):
    async def one(_at):
        done.append((await Browser(port).ask("POST", "/room"))[0])

    await _at_a_rate(N_ROOMS, one)


async def _numbers(port, _number, done):
    """Try room numbers in order, with a token that is renewed when it is refused."""
    phone, count = Browser(port), itertools.count(1_000_000)

    async def one(_at):
        status, _ = await phone.ask("GET", f"/room/{next(count)}/now")
        if status in (401, 429):
            phone.cookies.clear()
            await phone.ask("GET", f"/room/{next(count)}")
        done.append(status)

    await _at_a_rate(300, one)


async def _bodies(port, number, done):
    """Requests whose bodies never end; one that is given up is replaced by a new one."""

    async def one():
        while True:
            phone = Browser(port)
            await phone.ask("GET", f"/room/{number}")
            cookie = "; ".join(f"{name}={value}" for name, value in phone.cookies.items())
            with contextlib.suppress(OSError):
                reader, writer = await asyncio.open_connection("127.0.0.1", port)
                head = (
                    f"POST /room/{number}/answer HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nCookie: {cookie}\r\n"
                )
                writer.write(f"{head}Content-Length: 250\r\n\r\n{{".encode())
                await reader.read()
                writer.close()
                done.append(0)
            await asyncio.sleep(0.1)

    await asyncio.gather(*(one() for _ in range(N_BODIES)))


async def _at_a_rate(a_second, act):
    """Begin `a_second` acts per second, whether or not earlier ones have ended."""
    async with asyncio.TaskGroup() as group:
        began, n = time.monotonic(), 0
        while True:
            due = int((time.monotonic() - began) * a_second) - n
            for _ in range(min(due, a_second)):
                group.create_task(act(n))
                n += 1
            await asyncio.sleep(0.01)


KINDS = {
    "votes": (_votes, f"{N_VOTES} votes a second, each with a token of its own"),
    "rooms": (_rooms, f"{N_ROOMS} rooms a second"),
    "bodies": (_bodies, f"{N_BODIES} bodies that never end"),
    "numbers": (_numbers, "numbers of rooms, tried in order"),
}
"""Name -> (function, description)."""


async def attack(kind, port, seconds, number):
    """Attack until the time is over; returns the number of answers."""
    done = []
    task = asyncio.create_task(KINDS[kind][0](port, number, done))
    await asyncio.wait([task], timeout=seconds)
    task.cancel()
    await asyncio.gather(task, return_exceptions=True)
    return len(done)


if __name__ == "__main__":
    os.nice(10)
    chosen, at, during, room = sys.argv[1:]
    sys.stdout.write(f"{asyncio.run(attack(chosen, int(at), float(during), int(room)))}\n")
