"""Columns as users bring them: the kind of each is detected, and options may override it."""

import json

import numpy as np
import pytest

from spcviz.engine.errors import ArgumentError
from spcviz.io import read_conll
from tests.io.two_sentences import CONLLU, RECORDS, TAGS, WORDS, rows, same


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
    assert not same(germeval).notes  # the source of a text is part of this form
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


# ---- options


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
