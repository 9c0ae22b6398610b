"""A kernel finds the features of plain tokens by name, and leaves the rest to other code."""

import ast
import enum
import marshal
import threading
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from spcviz.sequences import token_reader as module
from spcviz.sequences.feature_names import entries_of
from spcviz.sequences.token_reader import TOGETHER, TokenReader
from spcviz.sequences.tokens import Vocabulary, numbered_pairs

TEXTS = st.sampled_from(
    ["", "a", "b", "a=b", "=", "a\\", "\\=", "1", "True", "ä", "\ud800", "\0", "a" * 300, "ö" * 200]
)
NUMBERS = st.sampled_from([0, 1, 1.0, 0.0, -0.0, 2, -1, 0.5, 1e30, -(2**31), 2**31 - 1, 5e-324])
DICTS = st.dictionaries(TEXTS, st.one_of(TEXTS, st.booleans(), NUMBERS), max_size=4)
LISTS = st.one_of(st.lists(TEXTS, max_size=4), st.lists(TEXTS, max_size=4).map(tuple))
ITEMS = st.lists(
    st.one_of(st.lists(st.one_of(DICTS, LISTS), max_size=4), st.lists(DICTS).map(tuple)), max_size=4
)


def by_name(vocabulary, items):
    """(lengths, counts, numbers, values) by the names of features; -1 for names unseen in training."""
    index, values = [], []
    tokens = [token for item in items for token in item]
    for token in tokens:
        for entry in token.items() if isinstance(token, dict) else ((text, True) for text in token):
            if isinstance(token, dict):
                names = entries_of(*entry)
            else:
                names = [(entry[0], 1.0)]
            index.append(vocabulary.get(names[0][0], -1) if names else -1)
            values.append(names[0][1] if names else 0.0)
    return [len(item) for item in items], [len(token) for token in tokens], index, values


def check(vocabulary, items):
    lengths, tokens = vocabulary.reader.read(items)
    values = np.ones(len(tokens.index)) if tokens.values is None else tokens.values
    wanted = by_name(vocabulary, items)
    assert (lengths.tolist(), tokens.counts.tolist(), tokens.index.tolist()) == wanted[:3]
    known = tokens.index >= 0
    assert values[known].tolist() == np.array(wanted[3])[known].tolist()


def test_this_python_writes_both_formats():
    assert module._FORMS == (4, 2)


@given(ITEMS, ITEMS)
def test_features_are_found_by_what_they_are_called(trained, items):
    vocabulary = Vocabulary()
    for some in trained:
        numbered_pairs(some, vocabulary, True, np.array([len(some)]))
    for some in (items, trained, items + trained):
        check(vocabulary, some)


@given(st.lists(TEXTS, unique=True), st.lists(TEXTS, unique=True), st.lists(TEXTS))
def test_what_a_vocabulary_is_given_later_is_found(first, more, asked):
    vocabulary = Vocabulary()
    for texts in (first, more):
        for text in texts:
            vocabulary.setdefault(text, len(vocabulary))
        check(vocabulary, [[asked], [dict.fromkeys(asked, True)]])


def test_thousands_are_found_after_the_table_has_grown():
    vocabulary = Vocabulary()
    for n in (3, 40, 41, 5000):
        for i in range(len(vocabulary), n):
            vocabulary[f"w={i}"] = i
        _, tokens = vocabulary.reader.read([[{"w": str(i)}] for i in range(n + 5)])
        assert tokens.index.tolist() == [*range(n), *[-1] * 5]
        assert (
            vocabulary.reader.read([[[f"w={i}" for i in range(n + 5)]]])[1].index.tolist()
            == tokens.index.tolist()
        )


def test_what_is_there_twice_is_read_twice():
    """Words that are one object are written once; lists and dicts that are one object, again each time."""
    vocabulary, word, number = Vocabulary({"w=the": 0, "n": 1, "the": 2}), "".join(["th", "e"]), 1234.5
    token = {"w": word, "n": number}
    for items in (
        [[{"w": word, "n": number}, {"w": word, "n": number}, [word, word]]],
        [[token, token]],
        [[[word]] * 2] * 2,
    ):
        check(vocabulary, items)
        assert (marshal.dumps(items, 4).count(b"the"), marshal.dumps(items, 2).count(b"the") > 1) == (1, True)


class Flavour(str, enum.Enum):  # noqa: UP042 - of a StrEnum, text and str() are one
    """A text whose hash is that of its name."""

    a = "b"


RECURSIVE: list = []
RECURSIVE.append(RECURSIVE)
ODD = [
    {"a": float("nan")}, {"a": float("inf")}, {"a": 2e30}, {"a": 2**61}, {"a": 2**31}, {"a": None},
    {"a": ["x"]}, {"a": {"b": "x"}}, {"a": b"x"}, {"a": np.float64(1)}, {"a": np.bool_(True)},
    {"a": Flavour.a}, {Flavour.a: "x"}, {b"a": "x"}, {1: "x"}, {np.str_("a"): "x"}, {None: "x"},
    {("a",): "x"}, {True: "x"}, "ab", None, 3, ["a", 1], ["a", None], ["a", ["b"]], [b"a"], [np.str_("a")],
    {"a", "b"}, frozenset("a"), np.array(["a"]), np.zeros(3), b"abc", ..., 1j, RECURSIVE, [RECURSIVE],
]  # fmt: skip


@pytest.mark.parametrize("token", ODD, ids=lambda token: type(token).__name__)
def test_what_is_not_plain_is_left_to_others(token):
    vocabulary = Vocabulary({"a": 0, "a=x": 1, "b=x": 2, "1=x": 3})
    assert vocabulary.reader.read([[{"a": "x"}]]) is not None
    assert vocabulary.reader.read([[{"a": "x"}, token]]) is None
    assert vocabulary.reader.read([[{"a": "x"}], [token], [["a"]]]) is None
    assert vocabulary.reader.read([[token, token]]) is None


@pytest.mark.parametrize(
    "items", [[], (), [[]], [(), []], [[{}]], [[[]], [{}, ()]], ([{"a": True}],)], ids=repr
)
def test_what_is_empty(items):
    check(Vocabulary({"a": 0}), items)


@pytest.mark.parametrize(
    "items",
    [[3], ["ab"], [None], [{"a": 1}], [b"ab"], np.zeros((2, 3)), "ab", {"a": 1}, [np.zeros((2, 2))]],
    ids=lambda items: type(items).__name__,
)
def test_what_is_no_list_of_lists(items):
    assert Vocabulary({"a": 0}).reader.read(items) is None


def test_values_are_refused_where_they_are_not_wanted():
    reader = Vocabulary({"a": 0}).reader
    assert reader.read([[{"a": 2.0}]], has_values=False) is None
    for one in (1, 1.0, True, 0, False, 0.0):
        lengths, tokens = reader.read([[{"a": one}]], has_values=False)
        assert (lengths.tolist(), tokens.index.tolist(), tokens.values) == ([1], [0 if one else -1], None)


def test_many_are_read_some_at_a_time():
    vocabulary = Vocabulary({"w=1": 0, "n": 1})
    many = [
        [{"w": str(k % 3), "n": 1 if k < 2 * TOGETHER else 2.5}] * (k % 3) for k in range(3 * TOGETHER + 1)
    ]
    lengths, tokens = vocabulary.reader.read_all(many)
    wanted = by_name(vocabulary, many)
    assert (lengths.tolist(), tokens.counts.tolist(), tokens.index.tolist()) == wanted[:3]
    assert tokens.values[tokens.index >= 0].tolist() == np.array(wanted[3])[tokens.index >= 0].tolist()
    assert vocabulary.reader.read_all([*many, [None]]) is None
    assert vocabulary.reader.read_all(many[: TOGETHER + 1])[1].values is None


def test_bytes_are_written_and_never_read_back():
    """A reader of such bytes can be made to execute them: here only a kernel looks at them."""
    tree = ast.parse(Path(module.__file__).read_text(encoding="utf-8"))
    imports = [node for node in ast.walk(tree) if isinstance(node, ast.Import | ast.ImportFrom)]
    names = {
        alias.name for node in imports if getattr(node, "module", None) == "marshal" for alias in node.names
    }
    assert names == {"dumps"}
    assert "marshal" not in {alias.name for node in imports for alias in node.names}


def test_another_python_that_writes_otherwise_reads_nothing(monkeypatch):
    monkeypatch.setattr(module, "dumps", lambda value, form: b"<" + marshal.dumps(value, form)[1:])
    assert [module._is_written(form) for form in (4, 2)] == [False, False]
    monkeypatch.setattr(module, "_FORMS", ())
    vocabulary = Vocabulary({"a": 0})
    assert vocabulary.reader.read([[["a"]]]) is None
    assert numbered_pairs([["a", "b"]], vocabulary, False, np.array([1])).index.tolist() == [0, -1]


def test_a_new_vocabulary_is_read_once_by_many_threads():
    reader = TokenReader({f"w={i}": i for i in range(20000)})
    out, start = [], threading.Barrier(8)

    def ask():
        start.wait()
        out.append(reader.read([[{"w": "7", "v": "7"}, {"w": "19999"}]])[1].index.tolist())

    threads = [threading.Thread(target=ask) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert out == [[7, -1, 19999]] * 8
