"""Hostile clients of `bench app`: they are bounded and send what they claim; a row says which goals hold."""

import asyncio
import io
import json
import subprocess
import sys
import time

import numpy as np
import pytest
from PIL import Image

from benchmarks.app import hall, hostile_client, server, words
from spcviz.commands import bench
from spcviz.engine.errors import ArgumentError


def test_a_bomb_is_small_whole_and_huge_once_it_is_unpacked():
    data = hostile_client.bomb(3)
    assert len(data) < 50_000
    with Image.open(io.BytesIO(data)) as image:
        assert (image.format, image.size, image.n_frames) == ("WEBP", (4000, 4000), 60)
    assert data != hostile_client.bomb(4)


def test_no_picture_comes_twice():
    pictures = [np.asarray(Image.open(io.BytesIO(hostile_client.picture(n)))) for n in (1, 2)]
    assert pictures[0].shape == pictures[1].shape == (300, 300, 3)
    assert not np.array_equal(*pictures)


def test_asks_in_flight_are_as_many_as_said_ever_others_and_end_in_time():
    seen, state = [], {"now": 0, "most": 0}

    async def answer(reader, writer):
        state["now"] += 1
        state["most"] = max(state["most"], state["now"])
        head = (await reader.readuntil(b"\r\n\r\n")).decode()
        length = int(head.split("Content-Length: ")[1].split("\r\n")[0])
        seen.append(json.loads(await reader.readexactly(length))["settings"]["a1"])
        await asyncio.sleep(0.3)
        writer.write(b"HTTP/1.1 200 OK\r\n\r\n")
        writer.close()
        state["now"] -= 1

    async def run():
        async with await asyncio.start_server(answer, "127.0.0.1", 0) as listening:
            start = time.monotonic()
            asked = await hostile_client.attack("asks", listening.sockets[0].getsockname()[1], 2.0)
            return asked, time.monotonic() - start

    asked, took = asyncio.run(run())
    assert 2.0 <= took < 10
    assert 20 < state["most"] <= hostile_client.N_ASKS
    assert len(set(seen)) == len(seen) >= asked > 20


def test_an_upload_that_is_refused_is_no_upload():
    async def answer(reader, writer):
        head = (await reader.readuntil(b"\r\n\r\n")).decode()
        is_right = "X-Xsrftoken: abc\r\nCookie: _streamlit_xsrf=abc\r\n" in head and "/good" in head
        cookie = "Set-Cookie: _streamlit_xsrf=abc; Path=/\r\n" * head.startswith("GET")
        writer.write(f"HTTP/1.1 {204 if is_right else 403} x\r\n{cookie}\r\n".encode())
        writer.close()

    async def run(address):
        async with await asyncio.start_server(answer, "127.0.0.1", 0) as listening:
            await hostile_client.put(listening.sockets[0].getsockname()[1], address, "a.png", b"")

    asyncio.run(run("/good"))
    with pytest.raises(hostile_client.Lost, match=r"upload refused: \[b'403'\]"):
        asyncio.run(run("/bad"))


def row(**changed):
    kept = {
        "client": "asks", "what": "200 asks", "sessions": 40, "asked": 900, "p50_ms": 60.0, "p95_ms": 240.0,
        "first_byte_p50_ms": 10.0, "first_byte_p95_ms": 290.0, "first_byte_max_ms": 400.0,
        "memory_mb": 1100.0, "exceptions": 0,
    }  # fmt: skip
    return kept | changed


def test_a_row_holds_if_it_keeps_every_goal_without_a_fault():
    assert hostile_client.holds(row())
    over = [{"p95_ms": 251.0}, {"first_byte_p95_ms": 301.0}, {"memory_mb": 1201.0}, {"exceptions": 1}]
    assert not any(
        hostile_client.holds(row(**changed)) for changed in [*over, {"memory_mb": None}, {"p95_ms": None}]
    )


def test_the_texts_of_a_class_beside_hostile_clients():
    rows = [row(client=hostile_client.QUIET, p95_ms=9000.0), row(), row(client="bombs", p95_ms=2500.0)]
    text = words.as_text({"rows": [], "beside": rows})
    assert len(text.splitlines()) == 3
    assert "beside 200 asks (900 answered): p50 60 ms, p95 240 ms (goal 250 ms)" in text
    said = words._beside(rows[1:])
    assert said.startswith("- 40 students beside one hostile client of 2 kinds: 2.5 s (p95, the worst), ")


def test_only_a_part_that_there_is():
    with pytest.raises(ArgumentError, match=r"only must be one of .*, got 'friendly'"):
        hall.bench_app(only="friendly")


def test_a_part_does_not_replace_the_whole():
    whole = bench.RESULTS / "bench-app.json"
    assert bench._bench_path(whole, "app", 1.0, "hostile") == bench.WORK / "bench-app.json"
    assert bench._bench_path(whole, "app", 1.0, None) == whole


@pytest.mark.skipif(sys.platform != "linux", reason="needs Linux's /proc")
def test_memory_of_the_server_is_that_of_its_children_too():
    holds = (
        "import sys; kept = bytearray(80_000_000); kept[::4096] = b'x' * len(kept[::4096]); sys.stdin.read()"
    )
    nested = f"import subprocess, sys; subprocess.run([sys.executable, '-c', {holds!r}])"
    watched = server.Server(port=1)
    watched._process = subprocess.Popen([sys.executable, "-c", nested], stdin=subprocess.PIPE)
    try:
        end = time.monotonic() + 20
        while watched.family_mb() < 80 and time.monotonic() < end:
            time.sleep(0.05)
        assert watched.family_mb() > 80 > watched.memory_mb()
    finally:
        watched._process.stdin.close()
        watched._process.wait()
    assert watched.family_mb() is None
