"""Load test: one hostile client next to a class, and its effect on students and newcomers.

`sieges` measures the students' actions, the time to first byte of a new visitor, and the memory of the server
with all its children above that at rest. ``python -m benchmarks.app.hostile_client KIND PORT SECONDS`` is the
client: all it does is bounded in number and time, and goes to this machine only. It runs in a separate
process on the same cores, niced because it would run elsewhere: the students' times are those of a server
that has a little less than the machine.
"""

import asyncio
import contextlib
import io
import itertools
import json
import os
import sys
import time
from functools import partial

import numpy as np
from PIL import Image
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.WidgetStates_pb2 import WidgetState

from benchmarks.app.acting import Widget
from benchmarks.app.load import crowd
from benchmarks.app.visitor import Lost, Visitor

PAGES = ("letters", "pose", "trade_off")
"""Pages of the students and of the hostile clients, which are tried once before."""
N_STUDENTS, PERIOD, SECONDS, PAGE = 40, 1.0, 15.0, "letters"
BEFORE, EVERY = 3.0, 0.25
"""Seconds that the client runs before the class arrives; seconds from one new visitor to the next."""
GOALS = {"p95_ms": 250.0, "first_byte_p95_ms": 300.0, "memory_mb": 1200.0}
QUIET = "nobody"

N_ASKS, N_BOMBS, N_PICTURES, N_BATCHES = 200, 8, 10, 3
"""Requests in flight; sessions with a bomb each; sessions with their own pictures, and with their batches."""

_XSRF = "_streamlit_xsrf"
SIDE, N_FRAMES = 4000, 60
"""Side and frames of a bomb: 960 million pixels in 3 kB."""


async def sieges(server, scale, rest, tick):
    """The rows, each after ``await rest(server)``: without a hostile client, then with one of each kind."""
    rows = []
    for kind in (QUIET, *KINDS):
        await rest(server)
        tick(f"{max(2, round(N_STUDENTS * scale))} students on {PAGE} beside: {_describe(kind)}")
        rows.append(await _beside(server, kind, scale))
    return rows


def _describe(kind):
    return " ".join(map(str, KINDS[kind][1:])) if kind in KINDS else kind


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
    command = ("-m", "benchmarks.app.hostile_client", kind, str(port), str(seconds))
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
        waits.append(await first_byte(port))


def percentile(values, q):
    """A percentile rounded to a tenth; None without values."""
    return round(float(np.percentile(values, q)), 1) if len(values) else None


def holds(row, goals=GOALS):
    """Whether a row meets all goals."""
    return not row["exceptions"] and all(row[n] is not None and row[n] <= goals[n] for n in goals)


class Uploader(Visitor):
    """A session on Pose that uploads its own files, as a browser does."""

    uploader, fragment, session = "", "", ""

    def _take(self, kind, message, shown):
        if kind == "new_session":
            self.session = message.new_session.initialize.session_id or self.session
        super()._take(kind, message, shown)

    def _widget(self, delta, shown):
        element = delta.new_element
        if delta.WhichOneof("type") == "new_element" and element.WhichOneof("type") == "file_uploader":
            self.uploader, self.fragment = element.file_uploader.id, delta.fragment_id
        super()._widget(delta, shown)

    async def bring(self, name, data):
        """Request an upload address, send the file there, and run the page with it."""
        back = BackMsg()
        back.file_urls_request.request_id = name
        back.file_urls_request.file_names.append(name)
        back.file_urls_request.session_id = self.session
        await self.send(back.SerializeToString())
        while True:
            _, message = await self.receive()
            if message.WhichOneof("type") == "file_urls_response":
                break
        urls = message.file_urls_response.file_urls[0]
        await put(self.port, urls.upload_url, name, data)
        state = WidgetState(id=self.uploader)
        info = state.file_uploader_state_value.uploaded_file_info.add(
            name=name, size=len(data), file_id=urls.file_id
        )
        info.file_urls.CopyFrom(urls)
        return await self.run(Widget(self.uploader, "file_uploader", self.fragment, None, state))


async def put(port, address, name, data):
    """Upload one file as a browser does, with the token that it gets; `Lost` if that is refused."""
    edge, token = "----spcviz", await _token(port)
    head = f'--{edge}\r\nContent-Disposition: form-data; name="file"; filename="{name}"\r\n\r\n'
    body = head.encode() + data + f"\r\n--{edge}--\r\n".encode()
    more = f"Content-Type: multipart/form-data; boundary={edge}\r\n"
    more += f"X-Xsrftoken: {token}\r\nCookie: {_XSRF}={token}\r\n"
    status = (await send_request(port, "PUT", "/" + address.lstrip("/"), body, more)).split()[1:2]
    if status != [b"204"]:
        raise Lost(f"upload refused: {status}")


async def _token(port):
    for line in (await send_request(port, "GET", "/_stcore/health")).splitlines():
        name, _, value = line.decode("latin-1").partition(": ")
        if name.lower() == "set-cookie" and value.startswith(f"{_XSRF}="):
            return value.partition("=")[2].partition(";")[0].strip('"')
    return ""


async def send_request(port, method, path, body=b"", more="Content-Type: application/json\r\n"):
    """Send one request over its own connection; returns the whole answer."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    head = f"{method} {path} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nConnection: close\r\n"
    writer.write(f"{head}{more}Content-Length: {len(body)}\r\n\r\n".encode() + body)
    try:
        return await reader.read()
    finally:
        writer.close()


async def first_byte(port):
    """Milliseconds until a new visitor gets the first byte of the page."""
    start = time.perf_counter()
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    try:
        writer.write(f"GET / HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nConnection: close\r\n\r\n".encode())
        await reader.read(1)
        return 1000 * (time.perf_counter() - start)
    finally:
        writer.close()


def bomb(number):
    """An animated WebP of a few kB that takes 64 MB per frame once it is decoded; no two are alike."""
    file, colour = io.BytesIO(), (number % 256, number // 256 % 256, 7)
    Image.new("RGB", (SIDE, SIDE), colour).save(file, "WEBP", lossless=True)
    picture = file.getvalue()[12:]  # one chunk; frames are the same bytes again
    size = (SIDE - 1).to_bytes(3, "little")
    frame = bytes(6) + size + size + (40).to_bytes(3, "little") + bytes(1) + picture
    chunks = _chunk(b"VP8X", bytes([2, 0, 0, 0]) + size + size) + _chunk(b"ANIM", bytes(6))
    body = b"WEBP" + chunks + N_FRAMES * _chunk(b"ANMF", frame)
    return b"RIFF" + len(body).to_bytes(4, "little") + body


def _chunk(name, data):
    return name + len(data).to_bytes(4, "little") + data + bytes(len(data) % 2)


def picture(number):
    """A picture of noise, 300 x 300, as PNG; no two are alike."""
    file = io.BytesIO()
    noise = np.random.default_rng(number).integers(0, 255, (300, 300, 3), dtype=np.uint8)
    Image.fromarray(noise).save(file, "PNG")
    return file.getvalue()


async def _ask(port, count, done):
    word = {"settings": {"order": "6"}}
    for number in count:
        word["settings"]["a1"] = f"{0.3 + 1e-7 * number:.7f}"
        with contextlib.suppress(OSError):
            await send_request(port, "POST", "/ask/word", json.dumps(word).encode())
            done.append(number)
        await asyncio.sleep(0.001)


async def _bring(made, name, port, count, done):
    while True:
        visitor = Uploader(port, "pose", "scene=upload")
        with contextlib.suppress(Lost, OSError):
            await visitor.open()
            for number in count:
                await visitor.bring(name, made(number))
                done.append(number)
        await visitor.close()
        await asyncio.sleep(0.1)


async def _batch(port, count, done):
    while True:
        visitor = Visitor(port, "trade_off", "words=120")
        with contextlib.suppress(Lost):
            await visitor.open()
            for seed in count:
                visitor.query = f"words=120&seed={seed}"
                await visitor.run()
                done.append(seed)
        await visitor.close()
        await asyncio.sleep(0.1)


KINDS = {
    "asks": (_ask, N_ASKS, "asks in flight, ever other alphas"),
    "bombs": (partial(_bring, bomb, "clip.webp"), N_BOMBS, "uploads at once that unpack to 2.9 GB"),
    "pictures": (
        partial(_bring, picture, "picture.png"),
        N_PICTURES,
        "sessions that bring ever new pictures to Pose",
    ),
    "batches": (_batch, N_BATCHES, "sessions that ask for ever new batches of 120 words on Trade-off"),
}
"""Name -> (function of one task, number of tasks, description)."""


async def attack(kind, port, seconds):
    """Run all tasks of a kind until the time is over; returns the number of answers."""
    act, n, _ = KINDS[kind]
    count, done = itertools.count(int(time.time()) % 900 * 1000), []
    tasks = [asyncio.create_task(act(port, count, done)) for _ in range(n)]
    await asyncio.wait(tasks, timeout=seconds)
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)
    return len(done)


if __name__ == "__main__":
    os.nice(10)
    chosen, at, during = sys.argv[1:]
    sys.stdout.write(f"{asyncio.run(attack(chosen, int(at), float(during)))}\n")
