"""Tables with one token per row, in every form that people save them in: where their sentences begin."""

import io
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spcviz.engine.errors import SpcvizError
from spcviz.io import read_conll
from spcviz.io.boundaries import Boundaries, Splitter, boundaries_of

SENTENCES = [["Ada", "went", "to", "Bath"], ["He", "slept"], ["Stop", "!", "Go"]]
LABELS = [["B-PER", "O", "O", "B-LOC"], ["O", "O"], ["O", "O", "O"]]
ALL = [word for words in SENTENCES for word in words]
TOKENS = [
    (k, j, word, label)
    for k, (words, labels) in enumerate(zip(SENTENCES, LABELS))
    for j, (word, label) in enumerate(zip(words, labels))
]


def table(names, row, sign=","):
    """A table with a header."""
    lines = [sign.join(names), *(sign.join(map(str, row(*one))) for one in TOKENS)]
    return "\n".join(lines) + "\n"


NUMBERED = {
    "tweet_id": lambda k, j, word, label: (f"9{k}1", word, label),
    "id": lambda k, j, word, label: (k, word, label),
    "Sample No": lambda k, j, word, label: (f"s{k}", word, label),
    "document": lambda k, j, word, label: (f"a{k}.txt", word, label),
    "vendor_id": lambda k, j, word, label: (f"v{k}", word, label),  # has "end" in it, not of tokens
    "stage no": lambda k, j, word, label: (k + 7, word, label),
    "essay_id": lambda k, j, word, label: (f"{k:04x}", word, label),
    "idx": lambda k, j, word, label: (j, word, label),
    "token_id": lambda k, j, word, label: (j + 1, word, label),
    "doc name": lambda k, j, word, label: (f"doc {k}" if j == 0 else "", word, label),
}


@pytest.mark.parametrize("sign", [",", "\t", ";"])
@pytest.mark.parametrize("name", NUMBERED)
def test_a_column_that_parts_sentences_in_a_text(name, sign):
    corpus = read_conll(table((name, "word", "ner"), NUMBERED[name], sign))
    assert (corpus.sentences, corpus.labels) == (SENTENCES, LABELS)


def test_a_number_of_sentences_that_starts_anew_in_each_document():
    text = table(("file", "sentence", "word", "ner"), lambda k, j, word, label: (f"f{k}", 0, word, label))
    assert read_conll(text).sentences == SENTENCES


@pytest.mark.parametrize(
    ("names", "row"),
    [
        (("id", "word", "ner"), lambda k, j, word, label: (10 * k + j, word, label)),  # numbers each token
        (("entity_id", "word", "ner"), lambda k, j, word, label: (k, word, label)),  # numbers entities
        (("head_no", "word", "ner"), lambda k, j, word, label: (k, word, label)),
        (("lang", "word", "ner"), lambda k, j, word, label: ("en", word, label)),
        (("id", "word", "ner"), lambda k, j, word, label: (k % 2, word, label)),  # recurs: no numbering
    ],
)
def test_columns_that_part_nothing(names, row):
    corpus = read_conll(table(names, row))
    assert corpus.sentences == [ALL]


def test_blank_lines_part_before_ids_that_are_guessed():
    text = "id,word,ner\n1,Ada,B-PER\n1,went,O\n\n1,He,O\n2,slept,O\n"
    assert read_conll(text).sentences == [["Ada", "went"], ["He", "slept"]]


def test_a_long_text_that_nothing_parts_is_said():
    text = "word\tner\n" + "Ada\tB-PER\nwent\tO\n" * 600
    (note,) = read_conll(text).notes
    assert note.startswith("All 1,200 tokens are one sequence")
    assert read_conll("word\tner\n" + "Ada\tB-PER\nwent\tO\n" * 60).notes == ()


RECORDS = [{"sent_id": k, "word": word, "ner": label} for k, _, word, label in TOKENS]
COLUMNS = {key: [one[key] for one in RECORDS] for key in RECORDS[0]}
LISTS = [{"tokens": words, "tags": labels} for words, labels in zip(SENTENCES, LABELS)]


def numbered(values):
    return {str(k): value for k, value in enumerate(values)}


@pytest.mark.parametrize(
    "held",
    [
        RECORDS,
        numbered(RECORDS),
        {key: numbered(values) for key, values in COLUMNS.items()},
        {"columns": list(COLUMNS), "index": [], "data": [list(one.values()) for one in RECORDS]},
        {"schema": {"fields": []}, "data": RECORDS},
        numbered(LISTS),
        {"columns": ["tokens", "tags"], "data": [list(one.values()) for one in LISTS]},
        [list(one.values()) for one in LISTS],
        [[list(pair) for pair in zip(*one.values())] for one in LISTS],
        {key: numbered([one[key] for one in LISTS]) for key in LISTS[0]},
        [[{"id": j, "text": w, "ner": t} for j, (w, t) in enumerate(zip(*one.values()))] for one in LISTS],
        {"sentences": [{"tokens": [{"word": w, "pos": "X", "ner": t} for w, t in zip(*one.values())]}
                       for one in LISTS]},
        [{"words": [{"form": w, "tag": t} for w, t in zip(*one.values())]} for one in LISTS],
    ],
)  # fmt: skip
def test_what_pandas_and_pipelines_write_as_json(held):
    corpus = read_conll(json.dumps(held).encode())
    assert (corpus.sentences, corpus.labels) == (SENTENCES, LABELS)


def test_json_lines_with_a_token_each():
    lines = "\n".join(map(json.dumps, RECORDS))
    assert read_conll(lines).sentences == SENTENCES
    words = [{"token": one["word"], "tag": one["ner"]} for one in RECORDS]
    assert read_conll("\n".join(map(json.dumps, words))).sentences == [ALL]


@pytest.mark.parametrize("pair", [[["Go", "home"], ["O", "O"]], [["Ada", "Bath"], ["B-PER", "B-LOC"]]])
def test_two_words_and_two_tags_are_told_from_two_pairs_by_all_records(pair):
    rows = [[["Ada", "went", "home"], ["B-PER", "O", "O"]], pair]
    assert read_conll(json.dumps(rows).encode()).sentences[1] == pair[0]
    pairs = [[["Ada", "B-PER"], ["went", "O"]], [["Go", "O"], ["home", "O"]]]
    assert read_conll(json.dumps(pairs).encode()).sentences == [["Ada", "went"], ["Go", "home"]]
    lists = [[["Ada", "went"], ["B-PER", "O"]], [["Go", "home"], ["O", "O"]]]
    assert read_conll(json.dumps(lists).encode()).sentences == [["Ada", "went"], ["Go", "home"]]


@pytest.mark.parametrize(
    ("held", "message"),
    [
        ([[{"ner": "O"}]], "words without a text"),
        ([[{"text": "a", "ner": "O"}, {"ner": "O"}]], "a word that has no 'text'"),
        ([{"tokens": [{"text": "a", "tag": "O"}, {"text": 3, "tag": "O"}]}], "a word that has no 'text'"),
        ({"columns": ["tokens"], "data": [["a", "b"]]}, "no tokens|expected"),
    ],
)
def test_objects_that_are_no_words_are_refused_in_words(held, message):
    with pytest.raises(ValueError, match=message):
        read_conll(json.dumps(held).encode())


@pytest.mark.parametrize("name", ["tweet_id", "document", "idx"])
def test_a_column_that_parts_sentences_in_parquet(name):
    pa = pytest.importorskip("pyarrow")
    parquet = pytest.importorskip("pyarrow.parquet")
    rows = [NUMBERED[name](*one) for one in TOKENS]
    out = io.BytesIO()
    parquet.write_table(pa.table(dict(zip((name, "word", "ner"), zip(*rows)))), out)
    corpus = read_conll(out.getvalue())
    assert (corpus.sentences, corpus.labels) == (SENTENCES, LABELS)


def test_rows_say_where_a_sentence_begins():
    assert boundaries_of(["word", "ner"], [["a", "O"]] * 9) == Boundaries()
    splitter = Splitter(Boundaries((0,), 1))
    rows = [("a", "1"), ("a", "2"), ("", "1"), (None, "2"), ("b", "3"), ("b", "1")]
    assert [splitter.begins(row) for row in rows] == [True, False, True, False, True, True]


@pytest.mark.parametrize(
    "names", [("idx", "Wort ", "Tag"), ("nr", "mot", "étiquette"), ("i", "слово", "метка"), ("no", "x", "y")]
)
def test_a_header_in_another_language_or_of_any_names_above_numbers(names):
    text = table(names, lambda k, j, word, label: (j, f"{word} ", label), ";")
    corpus = read_conll(text.encode("utf-8-sig"))
    assert (corpus.sentences, corpus.labels) == (SENTENCES, LABELS)
    assert corpus.header == tuple(name.strip() for name in names)


def test_a_first_row_of_words_above_numbers_that_are_words():
    text = "Page NN O\n3 CD O\n\n4 CD O\n5 CD B-X\n6 CD O\n"  # nothing is numbered: some lines have names
    assert read_conll(text).sentences[0] == ["Page", "3"]


NAMES = st.sampled_from(
    ["tokens", "words", "token", "text", "tags", "ner", "sentence_id", "doc", "data", "columns", "sentences",
     "0", "spans", "annotations", "features", "row"]
)  # fmt: skip
CELLS = st.sampled_from(["a", "a b", "", None, 1, 0, -100, 2.5, True, "B-X", "O", "\ud83d", 10**30])
HELD = st.recursive(
    CELLS, lambda of: st.lists(of, max_size=3) | st.dictionaries(NAMES, of, max_size=4), max_leaves=20
)


@given(st.lists(HELD, max_size=3) | HELD, st.booleans())
def test_whatever_json_holds_is_read_whole_or_refused_in_words(held, is_lines):
    is_lines = is_lines and isinstance(held, list)
    text = "\n".join(map(json.dumps, held)) if is_lines else json.dumps(held)
    try:
        corpus = read_conll(text.encode())
    except SpcvizError:
        return
    assert all(isinstance(word, str) for words in corpus.sentences for word in words)
    assert not corpus.labels or list(map(len, corpus.sentences)) == list(map(len, corpus.labels))
