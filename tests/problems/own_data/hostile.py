"""Files for Your data that nobody brings in good faith: bombs, endless labels, damaged scores."""

import io
import time
import zipfile
from functools import cache

import numpy as np
import psutil

from spcviz.engine.errors import ArgumentError
from spcviz.problems.own_data.model.apart import read_apart
from spcviz.shared.uploading.uploads import PATIENCE, UploadError

SMALL = 300
"""Megabytes by which the parent of the reading process may grow."""


def npz(**arrays):
    out = io.BytesIO()
    np.savez_compressed(out, **arrays)
    return out.getvalue()


def member(name, data, method=zipfile.ZIP_DEFLATED, n_times=1):
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", method) as file, file.open(name, "w", force_zip64=True) as to:
        for _ in range(n_times):
            to.write(data)
    return out.getvalue()


def _labels(rng, n):
    sort = rng.integers(4)
    if sort == 0:
        return "".join(f"a B-{k}\n" for k in range(n))
    if sort == 1:
        return "".join(f"a I-{rng.integers(n)}\n\n" for _ in range(n))
    if sort == 2:
        return "".join(f"a {k}\n" for k in range(n))
    return "".join(f"a {'BIES'[k % 4]}-{k // 4}\n" for k in range(n))


def text(rng):
    n = int(rng.integers(1, 120_001))
    sort = rng.integers(7)
    if sort == 0:
        return _labels(rng, n).encode()
    if sort == 1:
        return ("a X\r" * n).encode()
    if sort == 2:
        return ("\t".join(["c"] * int(rng.integers(1, 9000))) + "\n").encode() * int(rng.integers(1, 200))
    if sort == 3:
        return _labels(rng, n).encode(str(rng.choice(["utf-16", "utf-16-le", "utf-32", "utf-8-sig"])))
    if sort == 4:
        return rng.bytes(int(rng.integers(1, 20 << 20)))
    if sort == 5:
        return b"[" * int(rng.integers(1, 20 << 20))
    return (str(rng.choice(["a", "\u202e", "<script>", "=1+1", "$x$", "`"])) * 15_000 + " X\n").encode()


def packed(rng):
    sort, n_mb = rng.integers(9), int(rng.integers(1, 200))
    method = [zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA][rng.integers(3)]
    name = str(rng.choice(["emissions.npy", "estimator.json", "logits.npy", "a.zip"]))
    if sort <= 2:
        return member(name, bytes(1 << 20), method, n_mb)
    if sort == 3:
        return member(name, member(name, bytes(1 << 20), method, n_mb))
    if sort == 4:
        n = int(rng.integers(1, 1_000_000))
        return npz(emissions=np.zeros((0, 3)), lengths=np.zeros(n, dtype=np.int64))
    if sort == 5:
        k = int(rng.integers(2, 2000))
        names = np.array([f"B-{i}" for i in range(k)])
        many = {"emissions": np.zeros((max(2, 500_000 // k), k)), "label_names": names}
        return npz(**many, lengths=np.ones(len(many["emissions"]), dtype=np.int64))
    if sort == 6:
        return npz(logits=np.zeros((0, int(rng.integers(1, 9)), 3)), word_ids=np.zeros((0, 4), dtype=int))
    if sort == 7:
        signs = np.array([rng.integers(0xD800, 2**32 - 1)], dtype=np.uint32).view("U1")
        return npz(emissions=np.zeros((1, 2)), lengths=[1], tokens=signs)
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as file:
        for n in range(int(rng.integers(100, 20_000))):
            file.writestr(f"{n}.npy", b"")
    return out.getvalue()


@cache
def _whole():
    return npz(emissions=np.arange(60.0).reshape(20, 3), lengths=[5, 5, 10], label_names=["O", "B-X", "I-X"])


def damaged(rng):
    data = bytearray(_whole())
    for at in rng.integers(0, len(data), rng.integers(1, 20)):
        data[at] = rng.integers(256)
    return bytes(data[: rng.integers(1, len(data) + 1)])


def check_brought(seed):
    """Outcome of one hostile file, "read" or "refused"; raises if it took too much time or memory."""
    rng = np.random.default_rng(seed)
    data = [text, packed, damaged][seed % 3](rng)[: 20 << 20]
    before, begun = psutil.Process().memory_info().rss, time.monotonic()
    became, said = "read", "read"
    try:
        read_apart("file", data)
    except (ArgumentError, UploadError) as error:
        became, said = "refused", str(error).strip()
    assert said
    assert time.monotonic() - begun < PATIENCE + 2
    grown = (psutil.Process().memory_info().rss - before) >> 20
    assert grown < SMALL, f"{grown} MB"
    return became
