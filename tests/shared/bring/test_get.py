"""Downloads, from a server on this machine: nothing here touches a network.

Malicious archives: none writes outside its folder, fills a disk, or leaves a link.
"""

import hashlib
import io
import stat
import struct
import zipfile
from typing import ClassVar

import pytest

from spcviz import registry
from spcviz.registry import catalogue
from spcviz.registry.problem import DataSet
from spcviz.shared.bring import get as bring
from spcviz.shared.bring.original import DiskFullError, DownloadError, Source, SumError, UntrustedError

DATA = bytes(range(256)) * 1000
TREES = DataSet("trees", "some trees", "https://example.org", "trees", licence="free to all")


@pytest.fixture(autouse=True)
def small_pieces(monkeypatch):
    """A broken download loses at most one piece: here 500 bytes, so that what came before a cut is kept."""
    monkeypatch.setattr(bring, "CHUNK", 500)


def zipped(**files):
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        for name, text in files.items():
            archive.writestr(name, text)
    return out.getvalue()


def ranges(home):
    return [asked.range for asked in home.asked]


def test_the_licence_is_said_before_anything_is_asked_for(home, tmp_path):
    lines = bring.get(TREES, [home.source("a.bin", DATA)], tmp_path)
    said = [next(lines) for _ in range(4)]
    assert said[:3] == ["trees: some trees", "  from https://example.org", "  licence: free to all"]
    assert said[3] == f"  a.bin from {home.address}/a.bin"
    assert not home.asked
    assert next(lines) == "  a.bin: SHA-256 as it should be"
    assert len(home.asked) == 1
    assert next(lines) == f"next: python -m spcviz data prepare trees {tmp_path}"


def test_a_file_comes_whole_and_only_once(home, tmp_path):
    source = home.source("deep/a.bin", DATA)
    for _ in range(2):
        assert bring.fetch_file(source, tmp_path) == tmp_path / "deep" / "a.bin"
    assert (tmp_path / "deep" / "a.bin").read_bytes() == DATA
    assert [path.name for path in (tmp_path / "deep").iterdir()] == ["a.bin"]
    assert len(home.asked) == 1


def test_a_damaged_file_is_fetched_again(home, tmp_path):
    source = home.source("a.bin", DATA)
    (tmp_path / "a.bin").write_bytes(DATA[:-1])
    assert bring.fetch_file(source, tmp_path).read_bytes() == DATA


def test_a_cut_download_goes_on_where_it_stopped(home, tmp_path):
    source = home.source("a.bin", DATA)
    home.cuts["/a.bin"] = [100_000, 1234]
    assert bring.fetch_file(source, tmp_path).read_bytes() == DATA
    assert ranges(home) == ["", "bytes=100000-", "bytes=101000-"]


def test_a_library_that_does_not_notice_the_break(tmp_path):
    """urllib3 before 2 ends as if that were all."""

    class Short:
        headers: ClassVar = {"Content-Length": "10"}

        def iter_content(self, _size):
            yield b"1234"

    with pytest.raises(bring._BrokenOffError, match="after 4 of 10 bytes"):
        bring.Resuming(tmp_path / "a.bin", None)._receive(Short(), 0)
    assert (tmp_path / "a.bin.part").read_bytes() == b"1234"


def test_the_next_run_goes_on_too(home, tmp_path):
    source = home.source("a.bin", DATA)
    home.cuts["/a.bin"] = [1000] * bring.ATTEMPTS
    with pytest.raises(
        DownloadError, match=r"broke off 3 times \(after 3000 of 256000 bytes\).*goes on from"
    ):
        bring.fetch_file(source, tmp_path)
    assert not (tmp_path / "a.bin").exists()
    assert bring.fetch_file(source, tmp_path).read_bytes() == DATA
    assert ranges(home)[-1] == "bytes=3000-"
    assert [path.name for path in tmp_path.iterdir()] == ["a.bin"]


def test_a_home_that_cannot_resume_sends_all_again(home, tmp_path):
    source = home.source("a.bin", DATA)
    home.cuts["/a.bin"], home.resumes = [1000], False
    assert bring.fetch_file(source, tmp_path).read_bytes() == DATA


def test_two_versions_are_never_mixed(home, tmp_path):
    """The file changes between two tries, and its sum is not known: If-Range sees it."""
    source = home.source("a.bin", DATA, is_known=False)
    home.tags["/a.bin"], home.cuts["/a.bin"] = '"one"', [1000] * bring.ATTEMPTS
    with pytest.raises(DownloadError):
        bring.fetch_file(source, tmp_path)
    home.files["/a.bin"], home.tags["/a.bin"] = DATA[::-1], '"two"'
    assert bring.fetch_file(source, tmp_path).read_bytes() == DATA[::-1]
    assert home.asked[-1].if_range == '"one"'


@pytest.mark.parametrize("tag", ["", 'W/"weak"'])
def test_without_sum_and_version_nothing_is_gone_on_with(home, tmp_path, tag):
    source = home.source("a.bin", DATA, is_known=False)
    home.tags["/a.bin"], home.cuts["/a.bin"] = tag, [1000]
    assert bring.fetch_file(source, tmp_path).read_bytes() == DATA
    assert ranges(home) == ["", ""]


def test_a_part_that_is_whole_is_taken(home, tmp_path):
    (tmp_path / "a.bin.part").write_bytes(DATA)
    assert bring.fetch_file(home.source("a.bin", DATA), tmp_path).read_bytes() == DATA
    assert ranges(home) == [f"bytes={len(DATA)}-"]


def test_a_part_that_is_too_long_is_thrown_away(home, tmp_path):
    (tmp_path / "a.bin.part").write_bytes(DATA + b"more")
    assert bring.fetch_file(home.source("a.bin", DATA), tmp_path).read_bytes() == DATA


def test_other_bytes_are_refused_and_not_kept(home, tmp_path):
    source = home.source("a.bin", DATA)
    home.files["/a.bin"] = DATA[::-1]
    with pytest.raises(SumError, match=hashlib.sha256(DATA[::-1]).hexdigest()) as caught:
        bring.fetch_file(source, tmp_path)
    assert source.sha256 in str(caught.value)
    assert list(tmp_path.glob("a.bin*")) == []


def test_an_unknown_sum_is_said_and_wants_trust(home, tmp_path):
    sources = [
        home.source("a.bin", DATA, is_known=False),
        home.source("b.zip", zipped(x="1"), is_packed=True),
    ]
    lines, said = bring.get(TREES, sources, tmp_path), []
    with pytest.raises(UntrustedError, match=r"no sum of a\.bin is known here.*--trust"):
        said.extend(iter(lambda: next(lines), None))
    assert not (tmp_path / "x").exists()
    said = list(bring.get(TREES, sources, tmp_path, is_trusted=True))
    assert f"  a.bin: SHA-256 {hashlib.sha256(DATA).hexdigest()}; none is known here" in said
    assert (tmp_path / "x").read_text() == "1"
    assert len(home.asked) == 2  # what was kept is not downloaded again


def test_a_page_instead_of_a_zip_file_is_not_kept(home, tmp_path):
    source = home.source("a.zip", b"<!DOCTYPE html><p>We have moved", is_known=False, is_packed=True)
    with pytest.raises(
        DownloadError, match=r"must hold a zip file, got one that begins with b'<!DOCTYPE html"
    ):
        bring.fetch_file(source, tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_a_damaged_zip_file_is_said(tmp_path):
    data = bytearray(zipped(x="words " * 50))
    data[40] ^= 255
    (tmp_path / "a.zip").write_bytes(data)
    with pytest.raises(SumError, match=r"a\.zip is damaged: .*; delete it and get it again"):
        bring.unpack(tmp_path / "a.zip")


def test_a_zip_file_cannot_write_outside(tmp_path):
    inside = tmp_path / "in"
    inside.mkdir()
    (inside / "a.zip").write_bytes(zipped(**{"../out.txt": "no", "/root.txt": "no"}))
    with pytest.raises(SumError, match=r"plain files below its own folder, got '\.\./out\.txt'"):
        bring.unpack(inside / "a.zip")
    assert not (tmp_path / "out.txt").exists()
    assert sorted(path.name for path in inside.iterdir()) == ["a.zip"]


def test_what_is_not_there(home, tmp_path):
    source = Source("a.bin", f"{home.address}/gone/a.bin")
    with pytest.raises(DownloadError, match=r"gone/a\.bin answered 404 Not Found: the file may have moved"):
        bring.fetch_file(source, tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_without_a_network_one_plain_sentence(home, tmp_path):
    host = home.address.removeprefix("http://")
    home.server_close()  # nobody listens there any more
    with pytest.raises(
        DownloadError, match=f"^{host} cannot be reached; check the network, or put"
    ) as caught:
        bring.fetch_file(Source("a.bin", f"{home.address}/a.bin"), tmp_path)
    assert "\n" not in str(caught.value)


def test_a_full_disk(home, tmp_path, monkeypatch):
    def full(*_arguments):
        raise OSError(28, "No space left on device")

    source = home.source("a.bin", DATA)
    monkeypatch.setattr(bring.Resuming, "_receive", full)
    with pytest.raises(DiskFullError, match=f"no room left on the disk of {tmp_path}"):
        list(bring.get(TREES, [source], tmp_path))


def test_every_set_that_can_be_brought_says_how():
    for entry in catalogue.data_sets():
        if not entry.folder or entry.shipped:
            continue
        assert entry.licence
        assert callable(registry.load(entry.prepare))
        sources = registry.load(entry.sources)
        assert len({source.file for source in sources}) == len(sources) > 0
        for source in sources:
            assert source.url.startswith("https://")
            assert len(source.sha256) in (0, 64)
            assert source.file.endswith(".zip") or not source.is_packed


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
    bring.unpack(path)
    assert files(tmp_path) == ["in/a.zip", "in/c", "in/deep/b.txt"]
    assert (tmp_path / "in/deep/b.txt").read_bytes() == b"b" * 3_000_000


@pytest.mark.parametrize(
    "name", ["../out", "a/../../out", "/tmp/out", "\\out", "C:\\out", "C:out", "//host/x", "a\\..\\..\\out"]
)
def test_a_name_that_leads_out_is_refused_before_anything_is_written(tmp_path, name):
    path = packed(tmp_path, ("good", b"x", 0), (name, b"x", 0))
    with pytest.raises(SumError, match="must hold plain files below its own folder, got"):
        bring.unpack(path)
    assert files(tmp_path) == ["in/a.zip"]


@pytest.mark.parametrize("kind", [stat.S_IFLNK, stat.S_IFCHR, stat.S_IFBLK, stat.S_IFIFO, stat.S_IFSOCK])
def test_a_link_or_a_device_is_refused(tmp_path, kind):
    path = packed(tmp_path, ("good", b"x", 0), ("odd", b"/etc/passwd", kind | 0o777))
    with pytest.raises(SumError, match="plain files below its own folder, got 'odd'; unpacked nothing"):
        bring.unpack(path)
    assert files(tmp_path) == ["in/a.zip"]


def test_a_bomb_is_refused_by_what_it_says(tmp_path, monkeypatch):
    monkeypatch.setattr(bring, "MOST_BYTES", 10_000_000)
    path = packed(tmp_path, *((f"{n}", bytes(2_000_000), 0) for n in range(6)))
    assert path.stat().st_size < 20_000
    with pytest.raises(SumError, match="must unpack to at most 10,000,000 bytes, got 12,000,000"):
        bring.unpack(path)
    assert files(tmp_path) == ["in/a.zip"]


def test_too_many_files_are_refused(tmp_path, monkeypatch):
    monkeypatch.setattr(bring, "MOST_FILES", 100)
    with pytest.raises(SumError, match="must hold at most 100 files, got 101"):
        bring.unpack(packed(tmp_path, *((f"{n}", b"", 0) for n in range(101))))
    assert files(tmp_path) == ["in/a.zip"]


def test_a_bomb_that_lies_about_its_size_writes_no_more_than_it_says(tmp_path):
    path = packed(tmp_path, ("big", bytes(5_000_000), 0))
    said = path.read_bytes().replace(struct.pack("<I", 5_000_000), struct.pack("<I", 1000))
    path.write_bytes(said)
    with pytest.raises(SumError, match="is damaged"):
        bring.unpack(path)
    assert sum((tmp_path / name).stat().st_size for name in files(tmp_path)) < 20_000


def test_bytes_are_counted_while_they_come(tmp_path, monkeypatch):
    """Even a library that lets through more than the headers say cannot fill the disk."""
    path = packed(tmp_path, ("big", bytes(100), 0))
    monkeypatch.setattr(zipfile.ZipFile, "open", lambda *_: io.BytesIO(bytes(5_000_000)))
    with pytest.raises(SumError, match="'big' is longer than it says"):
        bring.unpack(path)


@pytest.mark.parametrize("cut", [10, 60, -30])
def test_a_damaged_archive_is_refused(tmp_path, cut):
    path = packed(tmp_path, ("big", bytes(range(256)) * 100, 0))
    path.write_bytes(path.read_bytes()[:cut])
    with pytest.raises(SumError, match=r"is damaged: .*; delete it and get it again"):
        bring.unpack(path)
