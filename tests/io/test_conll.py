"""Tagged text in every format that is read, and the messages about errors in it."""

import io

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spcviz.engine.errors import ArgumentError
from spcviz.io import read_conll
from spcviz.io.columns import read_columns
from spcviz.shared.folders import CACHE, shipped_path

CONLL_2000 = "Confidence NN B-NP\nin IN B-PP\n# # I-NP\n\nIt PRP B-NP\n"
CONLL_2003 = "-DOCSTART- -X- -X- O\n\nEU NNP B-NP B-ORG\nrejects VBZ B-VP O\n\nPeter NNP B-NP B-PER\n"
CONLL_U = (
    "# sent_id = 1\n# text = don't go\n1-2\tdon't\t_\t_\t_\t_\t_\t_\t_\t_\n"
    "1\tdo\tdo\tAUX\tVBP\t_\t0\troot\t_\t_\n2\tn't\tnot\tPART\tRB\t_\t1\tadvmod\t_\t_\n"
    "2.1\tgo\tgo\tVERB\t_\t_\t_\t_\t_\t_\n\n1\tNew York\tNew York\tPROPN\tNNP\t_\t0\troot\t_\t_\n"
)


def test_conll_2000():
    corpus = read_conll(CONLL_2000)
    assert corpus.sentences == [["Confidence", "in", "#"], ["It"]]
    assert corpus.labels == [["B-NP", "B-PP", "I-NP"], ["B-NP"]]
    assert (corpus.format, corpus.columns, corpus.n_columns) == ("conll2000", (0, 2), 3)
    assert corpus.scheme == "IOB1"  # I-NP after B-PP


def test_conll_2003():
    corpus = read_conll(CONLL_2003)
    assert corpus.sentences == [["EU", "rejects"], ["Peter"]]
    assert corpus.labels == [["B-ORG", "O"], ["B-PER"]]
    assert (corpus.format, corpus.scheme) == ("conll2003", "BIO")
    assert read_conll(CONLL_2003, columns=(0, 2)).labels == [["B-NP", "B-VP"], ["B-NP"]]
    assert read_conll(CONLL_2003, columns=(0, -3)).labels == [["NNP", "VBZ"], ["NNP"]]
    assert read_conll(CONLL_2003, columns=(0, None)).labels == []
    assert read_conll(CONLL_2003, scheme="IOB1").scheme == "IOB1"


def test_conll_u():
    corpus = read_conll(CONLL_U)
    assert corpus.sentences == [["do", "n't"], ["New York"]]
    assert corpus.labels == [["AUX", "PART"], ["PROPN"]]
    assert (corpus.format, corpus.columns, corpus.scheme) == ("conllu", (1, 3), "")
    untagged = CONLL_U.replace("AUX", "_").replace("PART", "_").replace("PROPN", "_")
    assert read_conll(untagged).columns == (1, 4)
    by_spaces = "1 Go go VERB VB _ 0 root _ _\n1.1  x  x X X _ _ _ _ _\n"
    assert read_conll(by_spaces).sentences == [["Go"]]


def test_tables():
    assert read_conll("New York\tB-LOC\nis\tO\n").sentences == [["New York", "is"]]
    with_header = read_conll("id\tner\ttoken\n1\tB-X\ta\n2\tO\tb\n")
    assert (with_header.columns, with_header.labels) == ((2, 1), [["B-X", "O"]])
    assert with_header.header == ("id", "ner", "token")
    named = read_conll("wort,art\nHaus,N\n", columns=("wort", "art"))
    assert (named.sentences, named.labels, named.format) == ([["Haus"]], [["N"]], "csv")
    quoted = read_conll('"a, b",X\n",",Y\n')
    assert quoted.sentences == [["a, b", ","]]
    assert read_conll("one\ntwo\n\nthree\n# a comment\n#\n").sentences == [["one", "two"], ["three", "#"]]
    assert read_conll("one\ntwo\n").format == "tokens"
    assert read_conll("one\ntwo\n").labels == []
    only_header = read_conll("token\tlabel\n\na\tX\n")
    assert only_header.sentences == [["a"]]


def test_tabs_and_spaces_mixed():
    assert read_conll("EU \tNNP  B-ORG\nrejects VBZ\tO\n").labels == [["B-ORG", "O"]]
    assert read_conll("EU\t\tO\t\nsays   O\n").labels == [["O", "O"]]


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_line_ends(end):
    corpus = read_conll(CONLL_2003.replace("\n", end))
    assert corpus[:2] == read_conll(CONLL_2003)[:2]


def test_encodings_are_said():
    text = "Köln\tB-LOC\nשלום\tO\n"
    assert read_conll(text.encode()).encoding == "utf-8"
    assert read_conll(b"\xef\xbb\xbf" + text.encode()).sentences == [["Köln", "שלום"]]
    assert read_conll("\ufeff" + text).sentences == [["Köln", "שלום"]]
    assert read_conll(text.encode("utf-16")).sentences == [["Köln", "שלום"]]
    latin = read_conll("Köln\tB-LOC\n".encode("latin-1"))
    assert (latin.sentences, latin.encoding) == ([["Köln"]], "windows-1252")


def test_tokens_may_hold_other_spaces_and_line_separators():
    strange = "a\u00a0b\u2028c\u3000\x0b"
    assert read_conll(f"{strange} O\nx O\n").sentences == [[strange, "x"]]


def test_wherever_it_comes_from(tmp_path):
    path = tmp_path / "own.txt"
    path.write_text(CONLL_2003, encoding="utf-8")
    want = read_conll(CONLL_2003)[:5]
    assert read_conll(path)[:5] == read_conll(str(path))[:5] == want
    with path.open("rb") as binary, path.open(encoding="utf-8") as text:
        assert read_conll(binary)[:5] == read_conll(text)[:5] == want
    assert read_conll(io.StringIO(CONLL_2003))[:5] == read_conll(io.BytesIO(CONLL_2003.encode()))[:5] == want
    assert read_conll(CONLL_2003.split("\n"))[:5] == read_conll(CONLL_2003.encode())[:5] == want


TOKENS = st.text(st.characters(exclude_characters=" \t\r\n", exclude_categories=["Cs"]), min_size=1)
WRITTEN = st.lists(
    st.lists(
        st.tuples(
            TOKENS.filter(lambda token: not token.startswith(("#", "-DOCSTART-", "\ufeff"))),
            st.sampled_from(["O", "B-X", "I-X"]),
        ),
        min_size=1,
    ),
    min_size=1,
)


@given(sentences=WRITTEN)
def test_what_is_written_is_read(sentences):
    text = "".join(
        "".join(f"{token}\t{label}\n" for token, label in sentence) + "\n" for sentence in sentences
    )
    corpus = read_conll(text)
    if not corpus.header:
        assert corpus.sentences == [[token for token, _ in sentence] for sentence in sentences]
        assert corpus.labels == [[label for _, label in sentence] for sentence in sentences]


def test_real_sentences():
    path = shipped_path(CACHE / "data" / "ewt" / "sentences.conllu")
    corpus = read_conll(path)
    assert len(corpus.sentences) == 300
    assert sum(map(len, corpus.sentences)) == sum(map(len, corpus.labels))
    assert {"NOUN", "VERB", "PUNCT"} < {label for labels in corpus.labels for label in labels}
    pairs = read_columns(path.read_text(encoding="utf-8"), 1, 4)
    assert read_conll(path, columns=(1, 4)).labels == [[tag for _, tag in sentence] for sentence in pairs]


REFUSED = [
    ("a b c\nd e\n", {}, r"text, line 2: must have 3 columns as the first line has, got 2: 'd e'"),
    ("a\tX\nb\tY\nc\tX\tY\n", {}, r"text, line 3: must have 2 columns as the first line has, got 3"),
    (
        CONLL_U.replace("2.1\tgo", "x\tgo"),
        {},
        r"text, line 6: must begin with the number .* got 'x'",
    ),
    ("\n\n# only = comments\n", {}, "text: must have at least one token, got none"),
    (b"", {}, "text: must have at least one token, got none"),
    ("token\tlabel\n", {}, "text: must have at least one token, got none"),
    ("a\tX\n\tY\n", {}, "text, sentence from line 1: must have a token in column 1 of each line"),
    ("a X\n", {"columns": (0, 2)}, r"text: columns must be from -2 to 1, got 2 \(label\)"),
    ("a X\n", {"columns": (True, 1)}, r"columns must be from -2 to 1, got True \(token\)"),
    ("w t\na X\n", {"columns": ("w", "x")}, "text: columns must name one of w, t, got 'x'"),
    ("a X\n", {"columns": 1}, r"columns must be \(token, label\), got 1"),
    ("a X\n", {"columns": (1, 2, 3)}, r"columns must be \(token, label\), got \(1, 2, 3\)"),
    ("a X\n", {"scheme": "XY"}, "scheme must be one of auto, BIO, IOB1, BIOES, got 'XY'"),
    (b"PK\x03\x04\0\0", {}, "text: must be an .npz or .zip that can be unpacked"),
    (b"a\0\0X\n", {}, "text: must be text, got bytes with zeros among them"),
    (b"\xff\xfea", {}, "text: must be text, got no UTF-16"),
    (3, {}, "source must be a path, an open file, bytes or lines, got 3"),
    ([b"a", b"b"], {}, "source must be lines of text, got b'a'"),
    ("no/such/file.txt", {}, "no/such/file.txt: cannot be read: No such file or directory"),
    ("a\0b", {}, "cannot be read: embedded null byte"),
]


@pytest.mark.parametrize(("source", "options", "message"), REFUSED)
def test_refusals_name_file_and_line(source, options, message):
    with pytest.raises(ArgumentError, match=message):
        read_conll(source, **options)


def test_files_are_named(tmp_path):
    path = tmp_path / "train.txt"
    path.write_bytes(b"a b c\r\n\r\nd e f\r\ng\r\n")
    with pytest.raises(ArgumentError, match=r"^train.txt, line 4: must have 3 columns .* got 1: 'g'"):
        read_conll(path)
    with path.open("rb") as file, pytest.raises(ArgumentError, match=r"^train.txt, line 4"):
        read_conll(file)
    with pytest.raises(ArgumentError, match="must be a file"):
        read_conll(tmp_path)
