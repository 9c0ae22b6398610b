"""Sentences in JSON, as other programs write them; input that is not read is named."""

import json

import pytest

from spcviz.engine.errors import ArgumentError
from spcviz.io import read_conll
from tests.io.two_sentences import FEATURE, NAMES, NUMBERED, RECORDS, SPANS, TAGS, TEXTS, WORDS, same


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
