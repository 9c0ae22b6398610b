"""Zip files of strangers: no method of packing and no nesting unpacks to more than a bound."""

import io
import pickle
import subprocess
import sys
import zipfile

import numpy as np
import pytest

from spcviz.engine.errors import ArgumentError
from spcviz.io.scores import read_scores
from spcviz.io.unpacking import arrays_of
from spcviz.io.zipped import MANIFEST, of_zip
from spcviz.store import zips
from spcviz.store.archive import unpack
from spcviz.store.errors import DamagedError
from spcviz.store.zips import Zip

METHODS = {"bzip2": zipfile.ZIP_BZIP2, "LZMA": zipfile.ZIP_LZMA, "deflate": zipfile.ZIP_DEFLATED}


def bomb(method, n_mb, name="emissions.npy", head=b""):
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", method) as file, file.open(name, "w", force_zip64=True) as member:
        member.write(head)
        for _ in range(n_mb):
            member.write(bytes(1 << 20))
    return out.getvalue()


def npy_head(shape):
    file = io.BytesIO()
    np.lib.format.write_array_header_1_0(file, {"descr": "<f8", "fortran_order": False, "shape": shape})
    return file.getvalue()


DOORS = {
    "arrays": lambda data: arrays_of("x", data),
    "scores": read_scores,
    "model": lambda data: of_zip(data, "x"),
    "store": lambda data: unpack(data, {"emissions": {"dtype": "<f8", "shape": [15], "sha256": "0" * 64}}),
}


OPEN_ALL = """
import pickle, resource, sys
from tests.store.test_zips import DOORS
bombs, said = pickle.load(sys.stdin.buffer), {}
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
for (method, door), data in bombs.items():
    try:
        DOORS[door](data)
        became = "read"
    except Exception as error:
        became = type(error).__name__
    said[method, door] = became, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
sys.stdout.buffer.write(pickle.dumps(said))
"""


@pytest.fixture(scope="module")
def opened():
    """{(method, door): (outcome of a bomb there, kB by which the peak has grown until then)}."""
    packed = {
        (method, name): bomb(METHODS[method], 100, name, npy_head((15,)))
        for method in METHODS
        for name in (MANIFEST, "emissions.npy")
    }
    bombs = {
        (method, door): packed[method, MANIFEST if door == "model" else "emissions.npy"]
        for method in METHODS
        for door in DOORS
    }
    command = [sys.executable, "-c", OPEN_ALL]
    return pickle.loads(
        subprocess.run(command, input=pickle.dumps(bombs), capture_output=True, check=True).stdout
    )


@pytest.mark.parametrize("door", DOORS)
@pytest.mark.parametrize("method", METHODS)
def test_a_bomb_is_refused_and_costs_nothing(opened, method, door):
    """100 MB in some 400 bytes: the peak of a process that reads all of them grows by less than 40 MB."""
    said, grown = opened[method, door]
    assert said in ("ArgumentError", "DamagedError")
    assert grown < 40_000


@pytest.mark.parametrize("method", ["bzip2", "LZMA"])
def test_the_method_is_named(method):
    with pytest.raises(ArgumentError, match=f"packs emissions.npy by {method}; only stored and deflated"):
        arrays_of("x.npz", bomb(METHODS[method], 1))


def test_ten_thousand_members_are_not_even_listed():
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as file:
        for n in range(10_000):
            file.writestr(f"{n}.npy", b"")
    with pytest.raises(DamagedError, match="holds 10,000 members; at most 1,100"):
        Zip(out.getvalue())


def test_a_zip_in_a_zip_is_bytes_and_no_more():
    inner = bomb(zipfile.ZIP_DEFLATED, 100)
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as file:
        file.writestr("emissions.npy", inner)
    assert Zip(out.getvalue()).read("emissions.npy", 1 << 20) == inner
    with pytest.raises(ArgumentError, match="the magic string is not correct"):
        arrays_of("x.npz", out.getvalue())


def lied(data, size):
    """The same zip whose directory and member declare another size."""
    at, out = data.index(b"PK\x01\x02"), bytearray(data)
    out[at + 24 : at + 28] = size.to_bytes(4, "little")
    out[22:26] = size.to_bytes(4, "little")
    return bytes(out)


@pytest.mark.parametrize("size", [0, 10, 299, 301, 1 << 20])
def test_a_member_that_lies_about_its_size_is_damaged(size):
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as file:
        file.writestr("a", bytes(300))
    with pytest.raises(DamagedError):
        Zip(lied(out.getvalue(), size)).read("a", 1 << 20)


@pytest.mark.parametrize("code", [0x110000, 0xFFFFFFFF, 0xD800, 0xDFFF])
@pytest.mark.parametrize("order", "<>")
def test_signs_that_are_none_are_refused(code, order):
    file = io.BytesIO()
    texts = np.array([65, code], dtype=f"{order}u4").view(f"{order}U1")
    np.savez(file, tokens=texts)
    with pytest.raises(ArgumentError, match=f"must be of characters of Unicode, got the number 0x{code:x}"):
        arrays_of("x.npz", file.getvalue())
    file = io.BytesIO()
    np.savez(file, tokens=np.array(["A", "\U0010ffff", ""], dtype=f"{order}U3"))
    assert arrays_of("x.npz", file.getvalue())["tokens"].tolist() == ["A", "\U0010ffff", ""]


def test_damage_anywhere_is_a_damaged_error():
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as file:
        file.writestr("a", np.arange(100).tobytes())
    whole, rng = out.getvalue(), np.random.default_rng(0)
    for _ in range(2000):
        data = bytearray(whole)
        for at in rng.integers(0, len(data), rng.integers(1, 4)):
            data[at] = rng.integers(256)
        try:
            opened = Zip(bytes(data))
            read = [opened.read(name, 10_000) for name in opened.sizes]
        except DamagedError:
            continue
        assert all(len(one) <= 10_000 for one in read)


def test_pieces_are_small(monkeypatch):
    monkeypatch.setattr(zips, "PIECE", 7)
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as file:
        file.writestr("a", b"x" * 100)
    assert Zip(out.getvalue()).read("a", 100) == b"x" * 100
