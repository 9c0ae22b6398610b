"""Malicious archives: none writes outside its folder, fills a disk, or leaves a link."""

import io
import stat
import struct
import zipfile

import pytest

from spcviz.shared.bring import get
from spcviz.shared.bring.original import SumError


def packed(folder, *entries):
    """A zip file of (name, bytes, kind of file) in a separate folder."""
    path = folder / "in" / "a.zip"
    path.parent.mkdir()
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content, kind in entries:
            entry = zipfile.ZipInfo("x")
            entry.filename, entry.external_attr = name, kind << 16
            archive.writestr(entry, content, zipfile.ZIP_DEFLATED)
    return path


def files(folder):
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*") if not path.is_dir())


def test_an_ordinary_archive_is_unpacked_beside_itself(tmp_path):
    path = packed(
        tmp_path,
        ("deep/", b"", stat.S_IFDIR | 0o755),
        ("deep/b.txt", b"b" * 3_000_000, 0),
        ("c", b"c", stat.S_IFREG),
    )
    get.unpack(path)
    assert files(tmp_path) == ["in/a.zip", "in/c", "in/deep/b.txt"]
    assert (tmp_path / "in/deep/b.txt").read_bytes() == b"b" * 3_000_000


@pytest.mark.parametrize(
    "name", ["../out", "a/../../out", "/tmp/out", "\\out", "C:\\out", "C:out", "//host/x", "a\\..\\..\\out"]
)
def test_a_name_that_leads_out_is_refused_before_anything_is_written(tmp_path, name):
    path = packed(tmp_path, ("good", b"x", 0), (name, b"x", 0))
    with pytest.raises(SumError, match="must hold plain files below its own folder, got"):
        get.unpack(path)
    assert files(tmp_path) == ["in/a.zip"]


@pytest.mark.parametrize("kind", [stat.S_IFLNK, stat.S_IFCHR, stat.S_IFBLK, stat.S_IFIFO, stat.S_IFSOCK])
def test_a_link_or_a_device_is_refused(tmp_path, kind):
    path = packed(tmp_path, ("good", b"x", 0), ("odd", b"/etc/passwd", kind | 0o777))
    with pytest.raises(SumError, match="plain files below its own folder, got 'odd'; unpacked nothing"):
        get.unpack(path)
    assert files(tmp_path) == ["in/a.zip"]


def test_a_bomb_is_refused_by_what_it_says(tmp_path, monkeypatch):
    monkeypatch.setattr(get, "MOST_BYTES", 10_000_000)
    path = packed(tmp_path, *((f"{n}", bytes(2_000_000), 0) for n in range(6)))
    assert path.stat().st_size < 20_000
    with pytest.raises(SumError, match="must unpack to at most 10,000,000 bytes, got 12,000,000"):
        get.unpack(path)
    assert files(tmp_path) == ["in/a.zip"]


def test_too_many_files_are_refused(tmp_path, monkeypatch):
    monkeypatch.setattr(get, "MOST_FILES", 100)
    with pytest.raises(SumError, match="must hold at most 100 files, got 101"):
        get.unpack(packed(tmp_path, *((f"{n}", b"", 0) for n in range(101))))
    assert files(tmp_path) == ["in/a.zip"]


def test_a_bomb_that_lies_about_its_size_writes_no_more_than_it_says(tmp_path):
    path = packed(tmp_path, ("big", bytes(5_000_000), 0))
    said = path.read_bytes().replace(struct.pack("<I", 5_000_000), struct.pack("<I", 1000))
    path.write_bytes(said)
    with pytest.raises(SumError, match="is damaged"):
        get.unpack(path)
    assert sum((tmp_path / name).stat().st_size for name in files(tmp_path)) < 20_000


def test_bytes_are_counted_while_they_come(tmp_path, monkeypatch):
    """Even a library that lets through more than the headers say cannot fill the disk."""
    path = packed(tmp_path, ("big", bytes(100), 0))
    monkeypatch.setattr(zipfile.ZipFile, "open", lambda *_: io.BytesIO(bytes(5_000_000)))
    with pytest.raises(SumError, match="'big' is longer than it says"):
        get.unpack(path)


@pytest.mark.parametrize("cut", [10, 60, -30])
def test_a_damaged_archive_is_refused(tmp_path, cut):
    path = packed(tmp_path, ("big", bytes(range(256)) * 100, 0))
    path.write_bytes(path.read_bytes()[:cut])
    with pytest.raises(SumError, match=r"is damaged: .*; delete it and get it again"):
        get.unpack(path)
