"""Load test: hostile uploads, one after another, next to a class: the answer to each and its cost.

The files go to Your data (texts, scores, models) and to Pose (pictures, clips), some as large as a page
accepts: bombs of every compression, endless lines and labels, damaged models, decoders' worst cases. The test
measures the students' actions, the peak memory of the server's own process above its peak under such classes
without files, how long each file waits for its answer, and whether it gets one.

``python -m benchmarks.app.files PORT N`` is the client, in a separate, niced process.
"""

import asyncio
import contextlib
import io
import json
import os
import sys
import time
import zipfile
from collections.abc import Callable, Iterator
from functools import cache
from typing import Any, NamedTuple

import numpy as np

from benchmarks.app import hostile_client
from benchmarks.app.load import crowd
from benchmarks.app.visitor import Lost
from tests.problems.own_data import hostile as brought
from tests.shared.uploading import hostile as pictures

N_FILES = 200
LARGEST = 20_000_000
"""Bytes that a page accepts."""
N_BEFORE, N_SEEDS = 36, 12
"""Classes before the first file, and how many of them differ; the same run again during the files. Streamlit
keeps sessions that have left for two minutes, and the app caches what a class has viewed up to a bound:
without any file the server grows from 0.9 GB after the first class to 1.3 after twelve, and stays at 1.6 from
thirty on.
"""

GOALS = {"p95_ms": 250.0, "memory_mb": 300.0, "slowest_s": 20.0, "silent": 0}


class Kind(NamedTuple):
    """One kind of file."""

    name: str  # as a visitor would name it
    page: str  # where it is uploaded
    make: Callable[[np.random.Generator], bytes]


def _repeat_pattern(pattern: bytes) -> bytes:
    """A repeated pattern, as large as a page accepts."""
    return (pattern * (LARGEST // len(pattern) + 1))[:LARGEST]


@cache
def _make_zip(name: str, head: bytes, method: int) -> bytes:
    """A member with a gigabyte of zeros after its head; with LZMA, which is slow, a fifth of that."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", method) as file, file.open(name, "w", force_zip64=True) as to:
        to.write(head)
        for _ in range(200 if method == zipfile.ZIP_LZMA else 1000):
            to.write(bytes(1_000_000))
    return out.getvalue()


def _npy(rng: np.random.Generator, name: str, method: int) -> bytes:
    """A bomb whose array declares a small size, or its true size."""
    head = io.BytesIO()
    shape = (5, 3) if rng.random() < 0.5 else (41_666_666, 3)
    np.lib.format.write_array_header_1_0(head, {"descr": "<f8", "fortran_order": False, "shape": shape})
    return _make_zip(name, head.getvalue(), method)


def _labels(rng: np.random.Generator) -> bytes:
    """A new label on each line, as large as a page accepts."""
    lines, size = [], 0
    for at in range(LARGEST):
        line = f"w{rng.integers(9)} {'BIES'[at % 4]}-{at}\n".encode()
        if (size := size + len(line)) > LARGEST:
            return b"".join(lines)
        lines.append(line)
    return b"".join(lines)


def _behind(head: bytes) -> Callable[[np.random.Generator], bytes]:
    return lambda rng: head + rng.bytes(LARGEST - len(head))


DATA, POSE = "data", "pose"
KINDS = (
    Kind("line.txt", DATA, lambda rng: _repeat_pattern(b"a")),
    Kind("zeros.txt", DATA, lambda rng: bytes(LARGEST)),
    Kind("noise.bin", DATA, lambda rng: rng.bytes(LARGEST)),
    Kind("returns.txt", DATA, lambda rng: _repeat_pattern(b"a X\r")),
    Kind("empty.txt", DATA, lambda rng: _repeat_pattern(b"\n")),
    Kind("labels.txt", DATA, _labels),
    Kind("wide.tsv", DATA, lambda rng: _repeat_pattern(b"c\t")),
    Kind("quotes.csv", DATA, lambda rng: _repeat_pattern(b'"a,')),
    Kind("deep.json", DATA, lambda rng: _repeat_pattern(b"[")),
    Kind("rows.jsonl", DATA, lambda rng: _repeat_pattern(b'{"tokens": ["a"], "labels": ["X"]}\n')),
    Kind("sixteen.txt", DATA, lambda rng: _repeat_pattern("a X\n".encode("utf-16-le"))),
    Kind("deflated.npz", DATA, lambda rng: _npy(rng, "emissions.npy", zipfile.ZIP_DEFLATED)),
    Kind("bzip2.npz", DATA, lambda rng: _npy(rng, "emissions.npy", zipfile.ZIP_BZIP2)),
    Kind("lzma.zip", DATA, lambda rng: _npy(rng, "estimator.npz", zipfile.ZIP_LZMA)),
    Kind("book.xlsx", DATA, lambda rng: _make_zip("xl/worksheets/sheet1.xml", b"<a>", zipfile.ZIP_DEFLATED)),
    Kind("text.gz", DATA, _behind(b"\x1f\x8b\x08\0\0\0\0\0\0\3")),
    Kind("table.parquet", DATA, _behind(b"PAR1")),
    Kind("text.txt", DATA, brought.text),
    Kind("scores.npz", DATA, brought.packed),
    Kind("damaged.npz", DATA, brought.damaged),
    Kind("clip.webp", POSE, lambda rng: hostile_client.bomb(int(rng.integers(1 << 16)))),
    Kind("wide.png", POSE, lambda rng: pictures.png(30_000, 30_000)),
    Kind("frames.gif", POSE, lambda rng: pictures.gif(60_000, 900)),
    Kind("scans.jpg", POSE, lambda rng: pictures.jpeg_of_scans(int(rng.integers(500, 4000)), 3000)),
    Kind("size.avi", POSE, lambda rng: pictures.avi(60_000, 60_000)),
    Kind("nested.mov", POSE, lambda rng: pictures.nested(2_000_000)),
    Kind("noise.mp4", POSE, _behind(b"\0\0\0\x18ftypisom\0\0\0\0")),
    Kind("noise.webm", POSE, _behind(b"\x1aE\xdf\xa3\x84\x42\x82\x84webm")),
    Kind("list.mp4", POSE, lambda rng: list(pictures.texts("/etc/passwd").values())[rng.integers(9)]),
    Kind("any.jpg", POSE, lambda rng: pictures.hostile(rng, "/etc/passwd")),
)
"""Kinds of files, which come in turn, each with other random numbers every time."""


REFUSALS = ("The file", "The picture", "Reading")
"""Beginnings of a page's refusals of a picture or clip."""


class Bringer(hostile_client.Uploader):
    """A session that uploads files, and reads the page's answer to each."""

    def __init__(self, port: int, page: str):
        super().__init__(port, page, "scene=upload" if page == POSE else "")
        self.said: list[str] = []

    def _widget(self, delta: Any, shown: list[str]) -> None:
        if delta.WhichOneof("type") == "new_element":
            element = delta.new_element
            kind = element.WhichOneof("type")
            if kind == "alert":
                self.said.append(element.alert.body)
            elif kind == "markdown":
                self.said.append(element.markdown.body)
        super()._widget(delta, shown)

    def answer(self, name: str) -> str:
        """ "read" or "refused", by the page's answer to a file; empty if there is none."""
        said = [text.replace("\\", "") for text in self.said]
        if any(f"**{name}**:" in text or "Your upload" in text for text in said):
            return "read"
        refusals = [text for text in said if name in text or text.startswith(REFUSALS)]
        return "refused" if refusals else ""


async def bring_all(port: int, n: int) -> list[dict[str, Any]]:
    """Upload `n` files; of each: name, bytes, seconds, "read", "refused" or nothing, and any fault."""
    visitors: dict[str, Bringer] = {}
    rows = []
    for at in range(n):
        kind = KINDS[at % len(KINDS)]
        data = kind.make(np.random.default_rng(at))[:LARGEST]
        row = {"name": kind.name, "bytes": len(data), "answer": "", "wrong": ""}
        began = time.monotonic()
        try:
            if kind.page not in visitors:
                visitors[kind.page] = Bringer(port, kind.page)
                await visitors[kind.page].open()
            visitor = visitors[kind.page]
            visitor.said = []
            began = time.monotonic()
            ran = await visitor.bring(kind.name, data)
            row["answer"], row["wrong"] = visitor.answer(kind.name), "; ".join(ran.shown)
            if not row["answer"]:
                row["said"] = [text[:200] for text in visitor.said[:12]]
        except (Lost, OSError) as error:
            row["wrong"] = str(error)
            if (lost := visitors.pop(kind.page, None)) is not None:
                await lost.close()
        rows.append(row | {"seconds": round(time.monotonic() - began, 2)})
    for visitor in visitors.values():
        await visitor.close()
    return rows


async def siege(server: Any, scale: float, rest: Callable, tick: Callable) -> dict[str, Any]:
    """A row: a class on Letters while the files are uploaded, and their costs."""
    n, n_files = (max(2, round(m * scale)) for m in (hostile_client.N_STUDENTS, N_FILES))
    how = {"within": 1.0, "period": hostile_client.PERIOD, "seconds": hostile_client.SECONDS}
    await rest(server)
    quiet, without, sizes, families, times, faults = [], [], [], [], [], []
    with _weigh_meanwhile(server, without, []):
        for seed in range(N_BEFORE):
            tick(f"{n} students on {hostile_client.PAGE} before any file, {seed + 1} of {N_BEFORE}")
            done = await crowd(server.port, hostile_client.PAGE, n, **how, seed=seed % N_SEEDS)
            quiet += [ran.ms for ran in done.reruns]
    tick(f"{n} students on {hostile_client.PAGE} beside {n_files} hostile files")
    n_done = 0
    command = (sys.executable, "-m", "benchmarks.app.files", str(server.port), str(n_files))
    client = await asyncio.create_subprocess_exec(*command, stdout=asyncio.subprocess.PIPE)
    answered = asyncio.create_task(client.communicate())
    try:
        with _weigh_meanwhile(server, sizes, families):
            while not answered.done():
                done = await crowd(server.port, hostile_client.PAGE, n, **how, seed=n_done % N_SEEDS)
                n_done += 1
                times += [ran.ms for ran in done.reruns]
                faults += done.faults
    finally:
        if client.returncode is None:
            client.kill()
        out, _ = await answered
    at_rest = max(without, default=None)
    return row_of(json.loads(out or b"[]"), n, times, faults) | {
        "before_p95_ms": hostile_client.percentile(quiet, 95),
        "rest_mb": at_rest,
        "memory_mb": None if at_rest is None else round(max([*sizes, at_rest]) - at_rest, 1),
        "family_mb": round(max(families), 1) if families else None,
    }


def row_of(rows: list[dict], n: int, times: list[float], faults: list[str]) -> dict[str, Any]:
    """Figures of files and students."""
    slowest = max(rows, key=lambda row: row["seconds"], default={"seconds": None, "name": ""})
    silent = [row for row in rows if not row["answer"] or row["wrong"]]
    return {
        "sessions": n, "files": len(rows), "megabytes": round(sum(row["bytes"] for row in rows) / 1e6),
        "read": sum(row["answer"] == "read" for row in rows),
        "refused": sum(row["answer"] == "refused" for row in rows),
        "silent": len(silent), "which": silent[:20],
        "slowest_s": slowest["seconds"], "slowest": slowest["name"],
        "p50_ms": hostile_client.percentile(times, 50), "p95_ms": hostile_client.percentile(times, 95),
        "actions": len(times), "exceptions": len(faults), "faults": sorted(set(faults))[:10],
    }  # fmt: skip


@contextlib.contextmanager
def _weigh_meanwhile(server: Any, sizes: list[float], families: list[float]) -> Iterator[None]:
    """Record the server's memory, alone and with its children, for the duration of the block."""
    watcher = asyncio.create_task(_weigh(server, sizes, families))
    try:
        yield
    finally:
        watcher.cancel()


async def _weigh(server: Any, sizes: list[float], families: list[float]) -> None:
    while True:
        if (now := server.memory_mb()) is not None:
            sizes.append(now)
        if (now := server.family_mb()) is not None:
            families.append(now)
        await asyncio.sleep(0.2)


if __name__ == "__main__":
    os.nice(10)
    at_port, how_many = map(int, sys.argv[1:])
    sys.stdout.write(json.dumps(asyncio.run(bring_all(at_port, how_many))))
