"""What hashes find is what the names say, of every dict and list that can be written."""

import enum
import threading

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from spcviz.sequences import hashed as module
from spcviz.sequences.feature_names import entries_of
from spcviz.sequences.hashed import Hashed
from spcviz.sequences.tokens import Vocabulary, numbered_pairs

TEXTS = st.sampled_from(["", "a", "b", "a=b", "=", "a\\", "\\=", "1", "True", "ä", "\ud800", "\0"])
VALUES = st.one_of(TEXTS, st.booleans(), st.sampled_from([0, 1, 1.0, 0.0, -0.0]))
TOKENS = st.lists(st.dictionaries(TEXTS, VALUES, max_size=4), max_size=6)


def numbers_by_name(vocabulary, tokens):
    """What each pair stands for by its name; -1 of what is none of training or not there."""
    out = []
    for token in tokens:
        for key, value in token.items():
            names = [name for name, _ in entries_of(key, value)]
            out.append(vocabulary.get(names[0], -1) if names else -1)
    return out


@given(TOKENS, TOKENS)
def test_pairs_are_found_by_what_they_are_called(trained, tokens):
    vocabulary = Vocabulary()
    numbered_pairs(trained, vocabulary, True, np.array([len(trained)]))
    for some in (tokens, trained, tokens):
        assert vocabulary.hashed.of_dicts(some).tolist() == numbers_by_name(vocabulary, some)


@given(st.lists(TEXTS, unique=True), st.lists(TEXTS, unique=True), st.lists(TEXTS))
def test_texts_are_found_in_what_grows(first, more, asked):
    vocabulary = Vocabulary()
    for texts in (first, more):
        for text in texts:
            vocabulary.setdefault(text, len(vocabulary))
        found = vocabulary.hashed.of_texts(asked)
        assert found.tolist() == [vocabulary.get(text, -1) for text in asked]
        flags = [{text: True} for text in asked]
        assert vocabulary.hashed.of_dicts(flags).tolist() == found.tolist()


def test_thousands_are_found_after_the_table_has_grown():
    vocabulary = Vocabulary()
    for n in (3, 40, 41, 5000):
        for i in range(len(vocabulary), n):
            vocabulary[f"w={i}"] = i
        asked = [{"w": str(i)} for i in range(n + 5)]
        assert vocabulary.hashed.of_dicts(asked).tolist() == [*range(n), *[-1] * 5]


class Flavour(str, enum.Enum):  # noqa: UP042 - of a StrEnum, text and str() are one
    """A text whose hash is its name's."""

    a = "b"


ODD = [
    {"a": 2}, {"a": 0.5}, {"a": float("nan")}, {"a": 2**61}, {"a": 2.0**-61}, {"a": 2**61 - 1}, {"a": None},
    {"a": ["x"]}, {"a": b"x"}, {"a": np.float64(1)}, {"a": np.bool_(True)}, {"a": Flavour.a},
    {Flavour.a: "x"}, {b"a": "x"}, {1: "x"},
]  # fmt: skip


@pytest.mark.parametrize("token", ODD, ids=repr)
def test_what_is_not_plain_is_left_to_others(token):
    """An integer of 2^61 has the hash of True, bytes that of their text, an enumeration that of its name."""
    vocabulary = Vocabulary({"a": 0, "a=x": 1, "b=x": 2, "1=x": 3})
    vocabulary.hashed.of_dicts([{"a": "x"}])
    assert vocabulary.hashed.of_dicts([{"a": "x"}, token]) is None


def test_texts_of_other_types():
    vocabulary = Vocabulary({"a": 0, "b": 1})
    for token in ({np.str_("a"): True}, {"a": True}, {np.str_("a"): True}):
        assert numbered_pairs([token], vocabulary, False, np.array([1])).index.tolist() == [0]
    assert vocabulary.hashed.of_texts([np.str_("a"), Flavour.a, "b", np.str_("c")]).tolist() == [0, 1, 1, -1]
    assert vocabulary.hashed.of_texts(["a", b"a"]) is None
    assert vocabulary.hashed.of_texts([]).tolist() == []


def test_many_sets_of_keys_are_asked_key_by_key(monkeypatch):
    monkeypatch.setattr(module, "MOST_SHAPES", 3)
    hashed = Hashed({f"k{i}": i for i in range(9)})
    for i in range(9):
        assert hashed.of_dicts([{f"k{i}": True, "new": True}] * 2).tolist() == [i, -1, i, -1]
    assert len(hashed._shapes) == 4


def test_two_features_of_one_sum_are_asked_by_name(monkeypatch):
    """It happens once in 2^64 times; here hashes are made to meet."""
    monkeypatch.setattr(module, "hash", lambda _: 7, raising=False)
    vocabulary = Vocabulary({"a": 0, "b": 1})
    assert vocabulary.hashed.of_dicts([{"a": True}]) is None
    assert vocabulary.hashed.of_texts(["a"]) is None
    assert numbered_pairs([{"b": True, "c": True}], vocabulary, False, np.array([1])).index.tolist() == [
        1,
        -1,
    ]


def test_a_new_vocabulary_is_read_once_by_many_threads():
    vocabulary = Vocabulary({f"w={i}": i for i in range(20000)})
    out, start = [], threading.Barrier(8)

    def ask():
        start.wait()
        out.append(vocabulary.hashed.of_dicts([{"w": "7", "v": "7"}, {"w": "19999"}]))

    threads = [threading.Thread(target=ask) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [found.tolist() for found in out] == [[7, -1, 19999]] * 8
