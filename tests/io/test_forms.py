"""Files as people bring them: what each is, is found out, and what is not read is named."""

import gzip
import io
import json
import sys
import zipfile

import numpy as np
import pytest

from spcviz.engine.errors import ArgumentError
from spcviz.io import read_conll

WORDS = [["Ada", "Lovelace", "wrote"], ["In", "Turin", "."]]
TAGS = [["B-PER", "I-PER", "O"], ["O", "B-LOC", "O"]]


def rows(separator="\t", blank="\n", *, before=lambda s, t: [], behind=lambda s, t: []):
    """The two sentences, a token a line; `before` and `behind` say more columns."""
    out = []
    for s, (words, tags) in enumerate(zip(WORDS, TAGS)):
        for t, (word, tag) in enumerate(zip(words, tags)):
            out.append(separator.join([*before(s, t), word, *behind(s, t), tag]) + "\n")
        out.append(blank)
    return "".join(out)


def same(source, **options):
    corpus = read_conll(source, **options)
    assert (corpus.sentences, corpus.labels) == (WORDS, TAGS), corpus.found
    return corpus


CONLLU = "".join(
    f"# sent_id = {s}\n# text = x\n"
    + ("1-2\tAdaLovelace" + 8 * "\t_" + "\n" if s == 0 else "")
    + "".join(f"{t + 1}\t{w}\tx\tNOUN\tNN\t_\t0\tdep\t_\t_\n" for t, w in enumerate(words))
    + ("2.1\tempty" + 8 * "\t_" + "\n" if s else "")
    + "\n"
    for s, words in enumerate(WORDS)
)


def test_conll_u_and_plus():
    corpus = read_conll(CONLLU)
    assert (corpus.sentences, corpus.format, corpus.columns) == (WORDS, "conllu", (1, 3))
    plus = "# global.columns = ID UPOS FORM NE:TYPE\n" + "".join(
        f"# text = a\n1-2\t_\tx\t_\n{rows}\n"
        for rows in (
            "".join(f"{t + 1}\tX\t{w}\t{tag}\n" for t, (w, tag) in enumerate(zip(*pair)))
            for pair in zip(WORDS, TAGS)
        )
    )
    corpus = read_conll(plus)
    assert (corpus.sentences, corpus.format, corpus.columns) == (WORDS, "conllup", (2, 1))
    assert same(plus, columns=("FORM", "NE:TYPE")).header == ("ID", "UPOS", "FORM", "NE:TYPE")
    with pytest.raises(ArgumentError, match=r"global\.columns must name FORM, got ID, LEMMA"):
        read_conll("# global.columns = ID LEMMA X\n1\ta\tb\n")


def test_conll_u_with_more_than_ten_columns():
    more = "".join(line + "\tx\ty\tz\n" if "\t" in line else line + "\n" for line in CONLLU.split("\n"))
    assert read_conll(more).sentences == WORDS


def test_conll_2009_with_columns_that_differ():
    def line(t, word, n):
        cells = [str(t + 1), word, "l", "l", "NN", "VB", "_", "_", "2", "2", "SBJ", "SBJ", "_", "_"]
        return "\t".join(cells + ["A0"] * n) + "\n"

    text = "".join(
        "".join(line(t, w, s) for t, w in enumerate(words)) + "\n" for s, words in enumerate(WORDS)
    )
    corpus = read_conll(text)
    assert (corpus.sentences, corpus.format, corpus.columns) == (WORDS, "conll2009", (1, 4))


def test_conll_2012():
    def line(t, word):
        return f"bc/cctv/00/cctv_0000   0   {t}   {word}   NN   (TOP*   -   -   -   Speaker#1   *   -\n"

    text = "#begin document (bc/cctv/00/cctv_0000); part 000\n"
    text += "".join("".join(line(t, w) for t, w in enumerate(words)) + "\n" for words in WORDS)
    corpus = read_conll(text + "#end document\n")
    assert (corpus.sentences, corpus.labels[0][0], corpus.format) == (WORDS, "NN", "conll2012")


@pytest.mark.parametrize("separator", ["\t", " "])
def test_a_first_column_that_counts_tokens(separator):
    corpus = same(rows(separator, before=lambda s, t: [str(t + 1)]))
    assert (corpus.format, corpus.columns) == ("ids", (1, 2))
    same(rows(separator, before=lambda s, t: [str(t)]))
    germeval = "".join(
        f"#\thttp://example.org/{s} [2010-01-02]\n"
        + "".join(f"{t + 1}\t{w}\t{tag}\tO\n" for t, (w, tag) in enumerate(zip(words, tags)))
        + "\n"
        for s, (words, tags) in enumerate(zip(WORDS, TAGS))
    )
    assert same(germeval).columns == (1, 2)
    assert not same(germeval).notes  # where a text comes from is part of this form
    inner = germeval.replace("Turin\tB-LOC\tO", "Turin\tB-LOC\tB-OTHpart")
    assert same(inner).columns == (1, 2)


def test_numbers_as_words_are_words():
    digits = read_conll("1 CD B-X\n7 CD I-X\n4 CD O\n")
    assert (digits.sentences, digits.format) == ([["1", "7", "4"]], "conll2000")
    assert read_conll("1 B-X\n2 I-X\n").sentences == [["1", "2"]]


@pytest.mark.parametrize(
    "comment",
    ["# id 9f\tdomain=en", "# id 9f domain=en", "# a b c", "#", "# newdoc id = d", "#id 9f"],
)
def test_comments_before_sentences(comment):
    filled = rows(" ", behind=lambda s, t: ["_", "_"])
    text = "".join(f"{comment}\n{part}\n\n" for part in filled.strip().split("\n\n"))
    same(text)


def test_hash_signs_as_tokens():
    assert read_conll("see NN O\n# # O\n1 CD O\n").sentences == [["see", "#", "1"]]
    assert read_conll("# NN O\n#go NN B-X\nnow RB O\n").sentences == [["#", "#go", "now"]]
    assert read_conll("#win\tB-X\nnow\tO\n").sentences == [["#win", "now"]]


def test_lines_of_markup_part_sentences():
    text = (
        "<doc id='1'>\n"
        + "".join(f"<s>\n{part}\n</s>\n" for part in rows().strip().split("\n\n"))
        + "</doc>\n"
    )
    same(text)
    assert read_conll("<p> X\n<b> Y\n").sentences == [["<p>", "<b>"]]


@pytest.mark.parametrize(
    "header", ["Sentence #,Word,POS,Tag", "sentence_idx,token,pos,ner", "Sent_ID,Form,UPOS,Label"]
)
@pytest.mark.parametrize("is_filled", [True, False])
def test_a_column_that_numbers_sentences(header, is_filled):
    def before(s, t):
        return [f"Sentence: {s + 1}" if is_filled or t == 0 else ""]

    corpus = same(header + "\n" + rows(",", "", before=before, behind=lambda s, t: ["NN"]))
    assert (corpus.format, corpus.header) == ("csv", tuple(header.split(",")))


def test_sentences_numbered_without_a_header_or_behind_the_words():
    same(rows("\t", "", before=lambda s, t: [str(s)]))
    same(
        "words,labels,sentence_id\n"
        + "".join(f"{w},{tag},{s}\n" for s, pair in enumerate(zip(WORDS, TAGS)) for w, tag in zip(*pair))
    )


def test_row_numbers_of_pandas_beside_words():
    lines = [
        f"{k},{s},{w},{tag}"
        for k, (s, w, tag) in enumerate(
            (s, w, tag) for s, pair in enumerate(zip(WORDS, TAGS)) for w, tag in zip(*pair)
        )
    ]
    same("\n".join([",sentence_id,words,labels", *lines]))
    same("\n".join(["Unnamed: 0,sentence_id,words,labels", *lines]))


@pytest.mark.parametrize("quote", [repr, json.dumps, lambda x: str(np.array(x)), lambda x: " ".join(x)])
@pytest.mark.parametrize("names", ["tokens,tags", "id,words,ner_tags", "text,labels"])
def test_a_row_a_sentence(quote, names):
    def cell(value):
        return '"' + quote(value).replace('"', '""') + '"'

    start = "7," if names.startswith("id") else ""
    text = names + "\n" + "".join(f"{start}{cell(w)},{cell(t)}\n" for w, t in zip(WORDS, TAGS))
    corpus = same(text)
    assert corpus.format == "rows"
    if quote is not repr:
        return
    with pytest.raises(
        ArgumentError, match="line 2: must have a label for each token, got 3 in 'tags' for 1"
    ):
        read_conll("tokens,tags\n\"['a']\",\"['O', 'O', 'O']\"\n")


def test_quotes_in_lists():
    corpus = read_conll(
        "tokens,tags\n\"[\"\"don't\"\", '\\u2019s', 'a, b', '\\'']\",\"['A', 'B', 'C', 'D']\"\n"
    )
    assert corpus.sentences == [["don't", "’s", "a, b", "'"]]


@pytest.mark.parametrize("sign", [", ", ",", " , ", ";", "; ", "|"])
def test_signs_between_columns(sign):
    same(("" if "|" not in sign else f"word{sign}tag\n") + rows(sign))
    same(f"word{sign}tag\n" + rows(sign))


def test_commas_within_columns_parted_by_spaces():
    assert read_conll("1,000 CD\n").sentences == [["1,000"]]
    assert read_conll("1,000 CD\n, PUNCT\n").sentences == [["1,000", ","]]
    assert read_conll("POINT(1,2) X\nPOINT(3,4) Y\n").labels == [["X", "Y"]]


def test_quotes_by_the_rules_of_csv():
    assert read_conll('token,label\n"a\nb",O\nc,B-X\n').sentences == [["a\nb", "c"]]
    assert read_conll('token,label\n"say ""hi""",O\n",",B-X\n').sentences == [['say "hi"', ","]]
    assert read_conll('"token"\t"label"\n"a b"\t"O"\n"c"\t"B-X"\n').sentences == [["a b", "c"]]
    assert read_conll('"a\tb"\tO\nc\tB-X\nd\tO\n').sentences == [["a\tb", "c", "d"]]
    assert read_conll('token,label\r\n"a\r\nb",O\r\nc,B-X\r\n').sentences == [["a\nb", "c"]]


def test_quotes_that_are_tokens():
    for text in ('"\tO\nbark\tB-X\n"\tO\n', '"\tO\nbark\tB-X\n', '"\tO\n"\tO\n"\tO\n', '"hi\tO\nyou"\tB-X\n'):
        corpus = read_conll(text)
        assert corpus.sentences == [[line.split("\t")[0] for line in text.strip().split("\n")]]
    assert read_conll('" O\nx O\n" O\n').sentences == [['"', "x", '"']]
    assert read_conll('token,label\n",O\nx,B-X\n",O\n').sentences == [['"', "x", '"']]


# ---- JSON

RECORDS = [{"id": str(k), "tokens": w, "ner_tags": t} for k, (w, t) in enumerate(zip(WORDS, TAGS))]
NAMES = ["O", "B-PER", "I-PER", "B-LOC"]
NUMBERED = [r | {"ner_tags": [NAMES.index(t) for t in r["ner_tags"]]} for r in RECORDS]
TEXTS = ["Ada Lovelace wrote", "In Turin."]
SPANS = [[(0, 12, "PER")], [(3, 8, "LOC")]]
FEATURE = {"feature": {"names": NAMES, "_type": "ClassLabel"}, "_type": "Sequence"}


def label_studio(text, spans):
    results = [
        {"type": "labels", "value": {"start": a, "end": b, "text": "", "labels": [k]}} for a, b, k in spans
    ]
    return {"id": 1, "data": {"text": text}, "annotations": [{"result": results}]}


def prodigy(words, tags):
    tokens = [{"text": w, "start": 0, "end": 0, "id": k} for k, w in enumerate(words)]
    spans = [
        {"token_start": 0, "token_end": 1, "label": "PER"},
        {"token_start": 1, "token_end": 1, "label": "LOC"},
    ]
    return {"text": " ".join(words), "tokens": tokens, "spans": spans[:1] if "B-PER" in tags else spans[1:]}


JSONS = {
    "list": RECORDS,
    "split": {"train": RECORDS[:1], "test": RECORDS[1:]},
    "by field": {"tokens": WORDS, "tags": TAGS},
    "pandas": {"tokens": {"0": WORDS[0], "1": WORDS[1]}, "tags": {"0": TAGS[0], "1": TAGS[1]}},
    "version and data": {"version": "1", "data": RECORDS},
    "server": {
        "features": [{"name": "ner_tags", "type": FEATURE}],
        "rows": [{"row_idx": 0, "row": r} for r in NUMBERED],
    },
    "id2label": {"id2label": dict(enumerate(NAMES)), "data": NUMBERED},
    "label list": {"label_list": NAMES, "examples": NUMBERED},
    "pairs": [[list(pair) for pair in zip(w, t)] for w, t in zip(WORDS, TAGS)],
    "doccano": [{"id": 1, "text": x, "label": s} for x, s in zip(TEXTS, SPANS)],
    "doccano entities": [
        {"text": x, "entities": [{"label": k, "start_offset": a, "end_offset": b} for a, b, k in s]}
        for x, s in zip(TEXTS, SPANS)
    ],
    "spacy": [[x, {"entities": s}] for x, s in zip(TEXTS, SPANS)],
    "label studio": [label_studio(x, s) for x, s in zip(TEXTS, SPANS)],
    "label studio, small": [
        {"text": x, "label": [{"start": a, "end": b, "text": "", "labels": [k]} for a, b, k in s]}
        for x, s in zip(TEXTS, SPANS)
    ],
    "prodigy": [prodigy(w, t) for w, t in zip(WORDS, TAGS)],
}


@pytest.mark.parametrize("form", JSONS)
@pytest.mark.parametrize("indent", [None, 2])
def test_json(form, indent):
    held = json.loads(json.dumps(JSONS[form]))
    corpus = same(json.dumps(held, indent=indent) + "\n")
    assert (corpus.format, corpus.scheme) == ("json", "BIO")
    if isinstance(held, list) and indent is None:
        same("\n".join(map(json.dumps, held)))
        same(("\n".join(map(json.dumps, held)) + "\n").encode("utf-8-sig"))


def test_numbers_without_names_are_said():
    corpus = read_conll("\n".join(map(json.dumps, NUMBERED)))
    assert corpus.labels[0] == ["1", "2", "0"]
    assert any("the file has no names for them" in note for note in corpus.notes)


def test_a_word_that_a_span_begins_in_is_cut():
    text = json.dumps({"text": "Adas Haus", "label": [[0, 3, "PER"]]}) + "\n"
    assert read_conll(text).sentences == [["Ada", "s", "Haus"]]


BROKEN_JSON = [
    (
        '{"tokens": ["a"], "tags": ["X", "Y"]}\n',
        "sentence 1: must have a label for each token, got 2 in 'tags' for 1",
    ),
    ('[{"text": "a b"}]\n', "is JSON with a text, but without tags or spans for it"),
    ('[{"text": "ab", "label": [[0, 9, "X"]]}]\n', "span 0 to 9 must lie in its text of 2 characters"),
    ('[{"text": "a b", "label": [[0, 3, "X"], [2, 3, "Y"]]}]\n', "spans must not overlap"),
    ('[{"text": "a b", "label": [[0, "X"]]}]\n', r"spans are expected as \[from, to, label\]"),
    ('[{"tokens": ["a"], "tags": ["X"]},\n{"tokens": ["a", ]}]\n', "line 2: is JSON that cannot be read"),
    ('{"a": 1}\n{"b": 2}\n', "is JSON, but no tokens are found in it: it has a"),
    ("[[[[[\n", "is JSON that cannot be read"),
    ("[" * 100_000 + "\n", "is JSON that"),
    (
        '{"id2label": {"0": "O"}, "data": [{"tokens": ["a"], "tags": [3]}]}\n',
        "label 3 must be a number from 0 to 0",
    ),
    (
        '{"tokens": [{"a": 1}], "tags": ["O"]}\n',
        "is JSON of words without a text; they have a",
    ),
    ("[]\n", "must have at least one token|holds no tokens"),
]


@pytest.mark.parametrize(("text", "message"), BROKEN_JSON)
def test_json_that_is_not_read_is_said(text, message):
    with pytest.raises(ArgumentError, match=message):
        read_conll(text)


def test_brackets_and_braces_as_tokens():
    assert read_conll("[\tO\n{\tO\n").sentences == [["[", "{"]]
    assert read_conll('{"\tX\nb\tY\n').sentences == [['{"', "b"]]


# ---- packed files and tables


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


# ---- what may be said


def test_what_is_found_can_be_said_otherwise():
    assert read_conll("wort\tart\nHaus\tN\n", header=True).sentences == [["Haus"]]
    assert read_conll("token\tlabel\nHaus\tN\n", header=False).sentences == [["token", "Haus"]]
    assert read_conll("a b\tX\nc d\tY\n", separator="space").n_columns == 3
    assert read_conll("a b\tX\nc d\tY\n", separator="\t").n_columns == 2
    with pytest.raises(ArgumentError, match="separator must be one of auto, tab, comma"):
        read_conll("a X\n", separator="x")
    with pytest.raises(ArgumentError, match="max_tokens must be at least 1"):
        read_conll("a X\n", max_tokens=0)


def test_a_header_of_unknown_names_above_chunks():
    corpus = read_conll("mot\tclasse\tentité\nParis\tNP\tB-LOC\ndort\tV\tO\nfin\tN\tO\n")
    assert corpus.header == ("mot", "classe", "entité")
    assert corpus.labels == [["B-LOC", "O", "O"]]


def test_the_column_with_chunks_is_the_labels():
    assert read_conll("a NN B-X 0.9\nb VB O 0.8\n").columns == (0, 2)
    assert read_conll("a B-X _\nb O _\n").columns == (0, 1)
    assert read_conll("a NN B-NP O\nb VB O O\n").columns == (0, 3)


@pytest.mark.parametrize(
    ("labels", "scheme"),
    [
        ("B-X I-X O", "BIO"), ("I-X I-X O", "IOB1"), ("B-X E-X S-Y", "BIOES"), ("B_X L_X U_Y", "BIOES"),
        ("B-X M-X E-X", "BIOES"), ("X-B X-I O", "BIO"), ("X_I X_I O", "IOB1"), ("X-B X-E Y-S", "BIOES"),
        ("B I O", "BIO"), ("B M E", "BIOES"), ("I I O", "IOB1"), ("B-A-b I-A-b O", "BIO"), ("U L B", "BIOES"),
        ("NN VB O", ""), ("a b c", ""), ("B-X NN O", ""), ("O O O", ""),
    ],
)  # fmt: skip
def test_schemes_in_their_usual_forms(labels, scheme):
    text = "".join(f"w{k}\t{label}\n" for k, label in enumerate(labels.split()))
    assert read_conll(text).scheme == scheme


def test_a_part_is_read_where_that_is_asked_for():
    corpus = read_conll(rows() * 1000, max_tokens=10)
    assert (len(corpus.sentences), corpus.is_cut) == (4, True)
    assert not read_conll(rows(), max_tokens=10).is_cut
    corpus = read_conll("\n".join(map(json.dumps, RECORDS * 50)), max_tokens=10)
    assert (len(corpus.sentences), corpus.is_cut) == (4, True)


UNKNOWN = [
    "a B-X\nb -100\nc O\n\nd O\n",
    "token,label\na,B-X\nb,-100.0\nc,O\n\nd,O\n",
    '[{"tokens": ["a", "b", "c"], "tags": ["B-X", -100, "O"]}, {"tokens": ["d"], "tags": ["O"]}]',
    '{"tokens": ["a", "b", "c"], "labels": ["B-X", null, "O"]}\n{"tokens": ["d"], "labels": ["O"]}\n',
]


@pytest.mark.parametrize("source", UNKNOWN)
def test_minus_100_is_no_class_but_a_label_that_is_not_known(source):
    corpus = read_conll(source.encode())
    assert corpus.labels == [["B-X", None, "O"], ["O"]]
    assert corpus.scheme == "BIO"
    assert "1 label is not known" in corpus.notes[-1]
    assert not any("numbers" in note for note in corpus.notes)


def test_the_names_of_numbers_leave_minus_100_alone():
    given = {"label_names": ["O", "B-X"], "data": [{"tokens": ["a", "b"], "tags": [1, -100]}]}
    assert read_conll(json.dumps(given).encode()).labels == [["B-X", None]]
    assert read_conll("a -1\nb 1\n").labels == [["-1", "1"]]


@pytest.mark.parametrize("ends", ["\n", "\r\n"])
@pytest.mark.parametrize("sign", ["\t", ",", ";"])
def test_blanks_about_cells_are_not_of_them(sign, ends):
    rows = [("Ada ", " B-PER "), (" went", "O "), ("", ""), ("Bath  ", "B-LOC"), (" ", "O")]
    text = "".join((sign.join(row) if row[1] else " ") + ends for row in rows)
    corpus = read_conll(text, separator=sign, header=False)
    assert corpus.sentences == [["Ada", "went"], ["Bath", " "]]
    assert corpus.labels == [["B-PER", "O"], ["B-LOC", "O"]]


@pytest.mark.parametrize("blank", ["\t", "  ", "\xa0", "\u3000", " \x0c"])
def test_lines_of_spaces_of_any_kind_are_blank(blank):
    assert read_conll(f"Ada\tB-PER\n{blank}\nwent\tO\n").sentences == [["Ada"], ["went"]]


def test_an_empty_label_is_not_known_unless_it_is_how_the_file_writes_o():
    corpus = read_conll("token,pos\nAda,NNP\nwent,\nhome,RB\n")
    assert corpus.labels == [["NNP", None, "RB"]]
    assert corpus.notes == ("1 label is not known (-100, null or empty)",)
    assert read_conll("token,ner\nAda,B-PER\nwent,\nhome,O\n").labels == [["B-PER", None, "O"]]
    corpus = read_conll("token,ner\nAda,B-PER\nwent,\nhome,\n")
    assert (corpus.labels, corpus.notes) == ([["B-PER", "", ""]], ())


def test_two_columns_of_chunks_are_said():
    text = "Ada B-PER B-PER\nwent O O\n\nBath B-LOC O\n"
    (note,) = read_conll(text).notes
    assert read_conll(text).format == "columns"
    assert note.startswith("Columns 2 and 3 both hold labels of chunks")
    assert "3 was taken" in note
    assert read_conll(text, columns=(0, 1)).notes == ()
    assert read_conll("Ada NNP B-NP B-PER\nwent VBD B-VP O\n").notes == ()  # chunks and names: CoNLL-2003


def test_the_note_that_git_lfs_leaves_in_place_of_a_file_is_named():
    note = f"version https://git-lfs.github.com/spec/v1\noid sha256:{'0' * 64}\nsize 3281052\n"
    with pytest.raises(ArgumentError, match="Git LFS"):
        read_conll(note)
