"""Contents compressed once: the same content for every client, the smallest form, never a damaged one."""

import gzip
import time

import brotli
import pytest
from hypothesis import given
from hypothesis import strategies as st

from spcviz.web.transport import answers
from spcviz.web.transport.answers import EncodedContent, Shelf, accepted_encodings

BOTH = ("br", "gzip")
UNPACK = {"br": brotli.decompress, "gzip": gzip.decompress, "": bytes}
TEXT = b"export const letters = 'abcdefgh';\n" * 400


def made(shelf, name, content, encodings=BOTH):
    """The brotli form, once its thread has made it."""
    end = time.monotonic() + 30
    while (form := shelf.form(name, lambda: content, encodings)).encoding != "br" and time.monotonic() < end:
        time.sleep(0.01)
    return form


def test_gzip_first_then_brotli_then_from_the_folder(tmp_path):
    shelf = Shelf(tmp_path)
    assert shelf.ready("a.js", BOTH) is None
    first = shelf.form("a.js", lambda: TEXT, BOTH)
    assert (first.encoding, UNPACK[first.encoding](first.content)) in {("gzip", TEXT), ("br", TEXT)}
    then = made(shelf, "a.js", TEXT)
    assert (then.encoding, brotli.decompress(then.content)) == ("br", TEXT)
    first = shelf.form("a.js", lambda: TEXT, ("gzip",))
    assert gzip.decompress(first.content) == TEXT
    assert len(then.content) < len(first.content) < len(TEXT)
    assert shelf.ready("a.js", BOTH) is then
    assert shelf.ready("a.js", ("gzip",)) is first
    assert shelf.ready("a.js", ()) is None
    while not list(tmp_path.glob("*.br")):
        time.sleep(0.01)
    assert Shelf(tmp_path).form("a.js", lambda: TEXT, BOTH) == then
    assert len({first.tag, then.tag}) == 2


def test_a_damaged_or_foreign_kept_file_is_not_sent(tmp_path):
    made(Shelf(tmp_path), "a.js", TEXT)
    while not list(tmp_path.glob("*.br")):
        time.sleep(0.01)
    (kept,) = tmp_path.glob("*.br")
    for content in (kept.read_bytes()[:-3], b"", brotli.compress(b"something else")):
        kept.write_bytes(content)
        form = Shelf(tmp_path).form("a.js", lambda: TEXT, BOTH)
        assert UNPACK[form.encoding](form.content) == TEXT


def test_a_folder_that_takes_nothing_costs_only_the_next_start(tmp_path):
    (tmp_path / "file").write_bytes(b"")
    assert made(Shelf(tmp_path / "file"), "a.js", TEXT).encoding == "br"


def test_who_takes_no_compression_gets_the_content(tmp_path):
    shelf = Shelf(tmp_path)
    assert shelf.form("a.js", lambda: TEXT, ())[:2] == (TEXT, "")
    assert shelf.form("b.js", lambda: b"short", BOTH)[:2] == (b"short", "")
    assert shelf.form("c.js", lambda: TEXT, ("br",))[:2] == (TEXT, "")  # the brotli form does not exist yet
    assert made(shelf, "c.js", TEXT, ("br",)).encoding == "br"


@given(st.binary(max_size=3000), st.sampled_from([BOTH, ("br",), ("gzip",), ()]))
def test_a_form_made_at_once_is_the_content(content, encodings):
    form = answers.form_of(content, encodings)
    assert isinstance(form, EncodedContent)
    assert UNPACK[form.encoding](form.content) == content
    assert form.encoding == (encodings[0] if encodings else "")


@pytest.mark.parametrize(
    ("header", "wanted"),
    [
        ("gzip, deflate, br, zstd", BOTH),
        ("br;q=0.5, gzip;q=0.9", BOTH),
        ("GZIP", ("gzip",)),
        ("br ; q=0 , gzip", ("gzip",)),
        ("gzip;q=nonsense", ()),
        ("identity", ()),
        ("", ()),
        (";;,,q=;", ()),
    ],
)
def test_what_a_browser_takes(header, wanted):
    assert accepted_encodings(header) == wanted


@given(st.text())
def test_any_header_is_understood_somehow(header):
    assert set(accepted_encodings(header)) <= set(BOTH)
