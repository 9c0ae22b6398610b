"""Files that visitors bring: each format is named in a line, each fault in a sentence with its place."""

import io
import zipfile

import numpy as np
import pytest

from spcviz.engine.errors import ArgumentError
from spcviz.problems.own_data.model.examples import data_of, read_example
from spcviz.problems.own_data.model.files import found, read

CHUNKS = "He PRP B-NP\nreckons VBZ B-VP\nthe DT B-NP\ndeficit NN I-NP\n. . O\n\nIt PRP B-NP\nwill MD B-VP\n\n"


def npz(**arrays):
    file = io.BytesIO()
    np.savez(file, **arrays)
    return file.getvalue()


SCORES = {"emissions": np.zeros((3, 2)), "lengths": np.array([2, 1])}


@pytest.mark.parametrize(
    ("name", "data", "said"),
    [
        (
            "a.txt",
            CHUNKS.encode(),
            "labels. CoNLL-2000, columns separated by spaces: tokens in 1, labels in 3 (BIO)",
        ),
        ("a.txt", CHUNKS.replace("\n", "\r\n").encode(), "2 sentences, 7 tokens, 4 labels. CoNLL-2000"),
        ("a.txt", b"\xef\xbb\xbf" + CHUNKS.encode(), "2 sentences, 7 tokens, 4 labels. CoNLL-2000"),
        ("a.txt", CHUNKS.replace("PRP B", "PRP\tB").encode(), "2 sentences, 7 tokens, 4 labels"),
        ("a.txt", CHUNKS.encode("utf-16"), "2 sentences, 7 tokens, 4 labels. CoNLL-2000"),
        (
            "a.csv",
            b"token,label\ndogs,N\nbark,V\n",
            "CSV, columns separated by commas, with a header: tokens in 1 “token”, labels in 2 “label”",
        ),
        ("a.txt", "שלום X\nעולם Y\n".encode(), "1 sentence, 2 tokens, 2 labels"),
        (
            "s.csv",
            b"sequence,token,gold,N,V\n1,dogs,N,2,0\n1,bark,V,1,3\n",
            "scores of 2 labels, no transitions",
        ),
        (
            "s.npz",
            npz(**SCORES, transitions=np.zeros((2, 2))),
            "2 sentences, 3 tokens, scores of 2 labels, transitions",
        ),
    ],
)
def test_one_line_says_what_was_found(name, data, said):
    assert said in found(read(name, data))


def test_an_example_is_read_by_its_columns():
    assert found(read_example("ewt")) == (
        "300 sentences, 4,503 tokens, 17 labels. CoNLL-U, columns separated by tabs: tokens in 2, labels in 4"
    )
    assert len({label for labels in read_example("penn").labels for label in labels}) > 40
    assert read("sentences.conllu", data_of("ewt"), (1, None)).labels == []


def bomb():
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("emissions.npy", bytes(200 << 20))
    return file.getvalue()


def zipped(*names):
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        for name in names:
            archive.writestr(name, "a X")
    return file.getvalue()


PICKLED = npz(**(SCORES | {"emissions": np.array([{"a": 1}], dtype=object)}))


@pytest.mark.parametrize(
    ("name", "data", "said"),
    [
        ("a.txt", b"", "a.txt: is empty; expected one token a line"),
        ("a.txt", b"a X\nb X Y\nc X\n", "a.txt, line 2: must have 2 columns"),
        ("a.tsv", b"a\tX\nb c d X\ne\tX\n", r"a.tsv, line 2: must have 2 columns.*got"),
        ("a.txt", b"word " * (2 << 20), r"line 1: has 10,485,760 characters; expected one token a line"),
        ("a.txt", b"a X\0b\n", "must be text, got bytes with zeros"),
        ("s.npz", PICKLED, "s.npz: emissions must be of numbers or texts, got dtype"),
        ("s.npz", bomb(), r"s.npz: unpacks to 210 MB; at most 64 are read"),
        ("s.npz", npz(emissions=np.array([[np.nan, 0.0]]), lengths=np.array([1])), "emissions.*nan"),
        ("s.npz", npz(emissions=np.zeros((2, 1)), lengths=np.array([2])), "scores of one label"),
        ("s.npz", npz(emissions=np.zeros((2, 2))), "must hold the array 'lengths'"),
        (
            "s.npz",
            npz(emissions=np.zeros((1_000_001, 2)), lengths=np.array([1_000_001])),
            "at most 1,000,000",
        ),
        ("s.npz", npz(**SCORES)[:100], "can be unpacked"),
        ("s.npz", npz(logits=np.zeros((1, 3, 2))), "must hold word_ids beside logits"),
        ("s.csv", b"sequence,token,N,V\n1,a,0,x\n", "s.csv, line 2: V must be a score, got 'x'"),
        (
            "l.npz",
            npz(logits=np.zeros((1, 2, 2)), word_ids=[[0.0, 0.5]]),
            r"word_ids\[0\]\[1\] must be a whole number or None, got 0.5",
        ),
        ("l.npz", npz(logits=np.zeros((1, 2, 2)), word_ids=["a", "b"]), "word_ids must be whole numbers"),
        ("l.npz", npz(logits=np.zeros((1, 2, 2)), word_ids=[[[0, 1]]]), "in one or two dimensions"),
        ("l.npz", npz(logits=np.zeros((1, 2, 2)), word_ids=[[-1, -1]]), "at least one token, got none"),
        ("a.zip", zipped("a.txt", "b.txt"), r"is a zip of 2 files \(a.txt, b.txt\); bring the one"),
        ("a.htm", b"<!DOCTYPE html><p>a", "is a web page or XML .*; save it as text with one token a line"),
        ("a.json", b'{\n "a": [1]\n}', "is JSON, but no tokens are found in it: it has a; a list of tokens"),
        ("a.pkl", b"\x80\x04\x95abc.", "is a pickle, which could run code and is never read"),
        ("a.bin", b"a\x04X\n", "must be text, got the control character 0x04"),
        ("a.txt", b"a " + b"L" * 500 + b"\nb Y\n", "of 500 characters; expected at most 100"),
        ("big.txt", bytes(21 << 20) + b"a", "at most 20 MB"),
    ],
)
def test_a_fault_is_one_sentence_that_names_the_file(name, data, said):
    with pytest.raises(ArgumentError, match=said) as caught:
        read(name, data)
    assert str(caught.value).startswith(name)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (
            CHUNKS.replace("the DT B-NP", "the DT O"),
            "The rules of BIO forbid 1 of the gold labels; the first is I-NP",
        ),
        ("a X\nb X\n", "the same label, 'X': there is nothing to learn"),
        ("caf\xe9 X\nb Y\n", "read as Windows-1252"),
    ],
)
def test_what_is_odd_is_read_and_said(text, said):
    brought = read("a.txt", text.encode("latin-1"))
    assert any(said in warning for warning in brought.warnings)


def test_what_looks_like_something_else_and_is_none_of_it_is_read():
    assert found(read("a.txt", b"{ X\n} Y\n; Y\n[1] X\n")).startswith("1 sentence, 4 tokens, 2 labels")
    assert found(read("a.txt", "<p> X\n\u202eab\u202c Y\n".encode())).startswith(
        "1 sentence, 2 tokens, 2 labels"
    )


def test_scores_whose_gold_breaks_the_rules_say_so():
    about = {"emissions": np.zeros((5, 3)), "lengths": [5], "label_names": ["O", "B-X", "I-X"]}
    assert not read("s.npz", npz(**about, labels=[0, 1, 2, 0, 1])).warnings
    brought = read("s.npz", npz(**about, labels=[1, 1, 0, 2, 1]))
    assert "The rules of BIO forbid 1 of the gold labels; the first is I-X behind O" in brought.warnings[0]


def test_labels_of_sub_words_count_for_their_words():
    ids, labels = [[-1, 0, 0, 1], [0, 1, 1, -1]], [[-100, 1, -100, 0], [0, 1, -100, -100]]
    data = npz(logits=np.zeros((2, 4, 2)), word_ids=ids, labels=labels, id2label=["N", "V"])
    assert read("l.npz", data).labels == [["V", "N"], ["N", "V"]]


def test_treebanks_of_other_languages_are_read_by_their_words():
    turkish = (
        "1\tOkula\tokul\tNOUN\t_\t_\t2\tobl\t_\t_\n2-3\tgidiyorum\t_\t_\t_\t_\t_\t_\t_\t_\n"
        "2\tgidiyor\tgit\tVERB\t_\t_\t0\troot\t_\t_\n3\tum\ti\tAUX\t_\t_\t2\tcop\t_\t_\n"
        "3.1\tx\tx\tVERB\t_\t_\t_\t_\t_\t_\n\n"
    )
    brought = read("tr.conllu", b"\xef\xbb\xbf" + turkish.replace("\n", "\r\n").encode())
    assert brought.sentences == [["Okula", "gidiyor", "um"]]
    chinese = "1\t50\u3000公里\t_\tNUM\tCD\t_\t0\troot\t_\tSpaceAfter=No\n\n"
    assert read("zh.conllu", chinese.encode()).sentences == [["50\u3000公里"]]


def test_gold_in_iob1_is_not_called_forbidden():
    assert not read("a.txt", b"a I-X\nb I-X\nc O\nd I-X\ne B-X\n").warnings


def test_logits_count_the_first_sub_word_of_each_word():
    logits = np.array([[[9.0, 9.0], [0.0, 1.0], [9.0, 0.0], [2.0, 0.0], [9.0, 9.0]]])
    ids = np.array([[-1, 0, 0, 1, -1]])
    data = npz(logits=logits, word_ids=ids, id2label=np.array(["O", "B-X"]), tokens=np.array(["New", "in"]))
    brought = read("l.npz", data)
    assert brought.scores.emissions.tolist() == [[0.0, 1.0], [2.0, 0.0]]
    assert brought.sentences == [["New", "in"]]
    assert brought.warnings == ("Of 3 sub-words the first of each of 2 words counts.",)


def test_of_a_long_text_the_sentences_that_fit_are_read_and_it_is_said():
    brought = read("a.txt", b"word X\nother Y\n\n" * 300_000)
    assert len(brought.sentences) == 60_000
    assert brought.cut == 120_000
    assert brought.warnings == ("Only the first 120,000 tokens of the text were read.",)


def test_sentences_with_a_label_that_is_not_known_are_left_out():
    brought = read("a.csv", b"token,label\na,X\nb,-100\n\nc,X\nd,Y\n\ne,Y\n")
    assert brought.sentences == [["c", "d"], ["e"]]
    assert brought.labels == [["X", "Y"], ["Y"]]
    assert "1 label is not known (-100, null or empty)." in brought.warnings
    assert "1 sentence with such labels is left out." in brought.warnings


def test_a_text_of_sub_words_is_read_without_its_labels():
    brought = read("a.json", b'[{"tokens": ["[CLS]", "a", "b"], "labels": [-100, 0, 1]}]')
    assert brought.sentences == [["[CLS]", "a", "b"]]
    assert brought.labels == []
    assert any("read without labels" in warning for warning in brought.warnings)
