"""Packed files, Parquet, workbooks and encodings: detected, read, or named."""

import gzip
import io
import json
import sys
import zipfile

import pytest

from spcviz.engine.errors import ArgumentError
from spcviz.io import read_conll
from tests.io.two_sentences import FEATURE, NUMBERED, RECORDS, TAGS, WORDS, rows, same


def zipped(**files):
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in files.items():
            archive.writestr(name.replace("__", "/").replace("_dot_", "."), data)
    return buffer.getvalue()


def test_packed():
    same(gzip.compress(rows().encode()))
    same(gzip.compress(rows()[:20].encode()) + gzip.compress(rows()[20:].encode()))
    same(gzip.compress("\n".join(map(json.dumps, RECORDS)).encode()))
    same(zipped(a_dot_txt=rows()))
    corpus = same(zipped(d__train_dot_txt=rows(), d__test_dot_txt="a X\n"))
    assert corpus.notes == ("Of 2 files in the zip 'train.txt' was read",)
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        archive.writestr("d\\train.conll", rows())
        archive.writestr("__MACOSX/d/._train.conll", b"\0\5\x16")
        archive.writestr("d/.DS_Store", b"\0\0")
    same(buffer.getvalue())


def packed_by(method):
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", method) as archive:
        archive.writestr("a.txt", b"a X\n" * 1000)
    return buffer.getvalue()


HOSTILE = [
    (gzip.compress(bytes(3 << 20)), "is gzip that unpacks to more than 1 MB"),
    (gzip.compress(rows().encode())[:-9], "is gzip that is cut off"),
    (b"\x1f\x8b" + bytes(40), "is gzip that cannot be unpacked"),
    (gzip.compress(gzip.compress(b"a X\n")), "is packed twice"),
    (zipped(a=bytes(3 << 20)), "has a with 3,145,728 bytes; at most 1,048,576 are unpacked"),
    (packed_by(zipfile.ZIP_BZIP2), "packs a.txt by bzip2; only stored and deflated members are read"),
    (packed_by(zipfile.ZIP_LZMA), "packs a.txt by LZMA; only stored and deflated members are read"),
    (zipped(a="a X\n", b="b X\n"), r"is a zip of 2 files \(a, b\); bring the one that is to be read"),
    (zipped(word__document_dot_xml="<a/>"), "is a Word document"),
    (zipped(**{f"f{k}": "" for k in range(10_001)}), "it holds 10,001 members; at most 1,100 are looked at"),
    (b"%PDF-1.7\n", "is a PDF document; save it as text"),
    (b"\xd0\xcf\x11\xe0" + bytes(20), r"is an old Excel or Word file \(.xls, .doc\)"),
    (b"SQLite format 3\0" + bytes(20), "is a SQLite database"),
    (b"\x80\x04\x95\x10" + bytes(20), "is a pickle, which could run code and is never read"),
    (b"BZh91AY" + bytes(20), "is packed by bzip2; unpack it first"),
    (b"\x89PNG\r\n\x1a\n", "is a picture or a clip"),
    ("T1\tPER 0 3\tAda\nR1\tx Arg1:T1 Arg2:T2\n", "is brat's annotation"),
    ("#FORMAT=WebAnno TSV 3.3\n#T_SP=x\n", "is WebAnno's or INCEpTION's own TSV; export it as CoNLL"),
    ("<?xml version='1.0'?>\n<TEI/>\n", "is a web page or XML"),
    ("<corpus>\n<w pos='N'>a</w>\n<w pos='V'>b</w>\n</corpus>\n", "is a web page or XML"),
    ("(S (NP (DT The) (NN dog)) (VP (VBZ barks)))\n", "has trees in brackets"),
    ("The/DT dog/NN barks/VBZ ./.\nIt/PRP is/VBZ loud/JJ ./.\n", "each word with its tag behind a sign"),
    ("Ada wrote the first program for an engine.\nIt was never built.\n", "is it running text"),
]


@pytest.mark.parametrize(("source", "message"), HOSTILE, ids=[message for _, message in HOSTILE])
def test_what_is_not_read_is_named(source, message):
    with pytest.raises(ArgumentError, match=message):
        read_conll(source, max_bytes=1 << 20)


def parquet(columns, metadata=None):
    pa, pq = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
    table = pa.table(columns)
    buffer = io.BytesIO()
    pq.write_table(table.replace_schema_metadata(metadata), buffer)
    return buffer.getvalue(), table


def test_parquet_and_arrow():
    corpus = same(parquet({"id": [0, 1], "tokens": WORDS, "tags": TAGS})[0])
    assert (corpus.format, corpus.scheme) == ("parquet", "BIO")
    about = {"huggingface": json.dumps({"info": {"features": {"ner_tags": FEATURE}}})}
    data, table = parquet({"tokens": WORDS, "ner_tags": [r["ner_tags"] for r in NUMBERED]}, about)
    same(data)
    import pyarrow as pa

    for new in (pa.ipc.new_file, pa.ipc.new_stream):
        sink = pa.BufferOutputStream()
        with new(sink, table.replace_schema_metadata(about).schema) as writer:
            writer.write_table(table.replace_schema_metadata(about))
        same(sink.getvalue().to_pybytes())
    flat = [(s, w, t) for s, pair in enumerate(zip(WORDS, TAGS)) for w, t in zip(*pair)]
    same(parquet(dict(zip(("sentence_id", "word", "tag"), map(list, zip(*flat)))))[0])
    with pytest.raises(ArgumentError, match="is Parquet without a column of tokens; it has a"):
        read_conll(parquet({"a": [1]})[0])
    with pytest.raises(ArgumentError, match="is Parquet that cannot be read"):
        read_conll(data[:200] + data[260:])


def workbook(lines, n_sheets=1):
    openpyxl = pytest.importorskip("openpyxl")
    book = openpyxl.Workbook()
    for line in lines:
        book.active.append(line)
    for k in range(1, n_sheets):
        book.create_sheet(f"more {k}")
    buffer = io.BytesIO()
    book.save(buffer)
    return buffer.getvalue()


def test_excel():
    flat = [(s, w, t) for s, pair in enumerate(zip(WORDS, TAGS)) for w, t in zip(*pair)]
    corpus = same(workbook([("sentence_id", "word", "tag"), *flat], n_sheets=2))
    assert corpus.format == "excel"
    assert corpus.notes == ("Of 2 sheets 'Sheet' was read",)
    same(workbook([(w, t) for s, w, t in flat[:3]] + [(None, None)] + [(w, t, None) for s, w, t in flat[3:]]))
    assert read_conll(workbook([("token", "label"), ('"', "O"), (3, "B-X"), (2.5, "O")])).sentences == [
        ['"', "3", "2.5"]
    ]
    with pytest.raises(ArgumentError, match="is an Excel workbook that cannot be read"):
        read_conll(zipped(xl__workbook_dot_xml="<a/>"))
    with pytest.raises(ArgumentError, match="is an Excel workbook without a cell"):
        read_conll(workbook([]))


def test_a_reader_that_is_missing_is_named(monkeypatch):
    data, book = parquet({"tokens": WORDS})[0], workbook([("a", "b")])
    for name in ("pyarrow", "openpyxl"):
        monkeypatch.setitem(sys.modules, name, None)
    with pytest.raises(
        ArgumentError, match=r'is Parquet, for which pyarrow .* pip install "spcviz\[tables\]"'
    ):
        read_conll(data)
    with pytest.raises(
        ArgumentError, match=r"is an Excel workbook, for which openpyxl .* save the sheet as CSV"
    ):
        read_conll(book)


# ---- encodings


def test_windows_1252_by_the_browsers_rule():
    corpus = read_conll("„Köln“\tB-LOC\n–\tO\n".encode("windows-1252") + b"\x81\tO\n")
    assert corpus.sentences == [["„Köln“", "–", "\x81"]]
    assert corpus.encoding == "windows-1252"
    assert any("Windows-1252" in note for note in corpus.notes)


def test_stray_bytes_are_named_by_their_lines():
    data = "Zürich\tB-LOC\nœuvre\tO\nnaïve\tO\n".encode() + b"caf\xe9\tO\nx\tO\n\xffy\tO\n"
    corpus = read_conll(data)
    assert corpus.sentences == [["Zürich", "œuvre", "naïve", "café", "x", "ÿy"]]
    assert corpus.notes == (
        "2 bytes are no UTF-8 (the first 0xe9; line 4, 6) and read as Windows-1252: look there.",
    )


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "utf-32"])
def test_unicode_in_any_width(encoding):
    same(rows().encode(encoding))
    same(rows(",").replace("\n\n", "\n\r\n").encode(encoding))


def test_an_encoding_that_is_asked_for():
    russian = "Москва\tB-LOC\n".encode("koi8-r")
    assert read_conll(russian, encoding="koi8-r").sentences == [["Москва"]]
    with pytest.raises(ArgumentError, match=r"encoding must be auto or one of utf-8, .*, got 'rot13'"):
        read_conll(russian, encoding="rot13")
    with pytest.raises(ArgumentError, match="line 2: must be text in utf-8, got other bytes"):
        read_conll(b"a\tX\n\xff\tX\n", encoding="utf-8")
