"""The serialiser: what comes back is what went in to the bit; what it cannot hold is refused by its place."""

import base64
import dataclasses
import enum
import json
import math
import random
from typing import NamedTuple

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from spcviz.engine.errors import ArgumentError
from spcviz.store import flatten, manifest, rebuild
from spcviz.store.atomic import json_bytes
from spcviz.store.errors import DamagedError
from spcviz.store.tree import MAX_DEPTH, pack_tree, unpack_tree

N_MUTATIONS = 2000


class Leaf(NamedTuple):
    scores: np.ndarray
    note: object = None


@dataclasses.dataclass(frozen=True, eq=False)
class Branch:
    leaves: tuple[Leaf, ...]
    by_name: dict[str, np.ndarray]
    share: float


@dataclasses.dataclass(frozen=True)
class Strict:
    n: int

    def __post_init__(self):
        if self.n < 0:
            raise ValueError("n must be at least 0")


class Colour(enum.IntEnum):
    RED = 1


TYPES = (Branch, Strict)
SMALL = hnp.array_shapes(min_dims=0, max_dims=3, min_side=0, max_side=3)
ARRAYS = hnp.arrays(
    st.one_of(
        hnp.boolean_dtypes(),
        hnp.integer_dtypes(endianness="?"),
        hnp.unsigned_integer_dtypes(endianness="?"),
        hnp.floating_dtypes(endianness="?", sizes=(16, 32, 64)),
    ),
    SMALL,
)
TEXTS = st.one_of(
    st.text(st.characters(exclude_categories=["Cs"]), max_size=9),
    st.text("aé€", min_size=1).map(lambda text: 1001 * text),
    st.binary(min_size=900, max_size=910).map(
        lambda data: "data:image/png;base64," + base64.b64encode(data).decode()
    ),
    st.just("data:image/png;base64," + 1200 * "?"),
)
PLAIN = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(),
    st.integers(-(10**4000) + 1, 10**4000 - 1),
    st.floats(),
    TEXTS,
    st.binary(max_size=5),
)
LEAVES = st.one_of(PLAIN, ARRAYS, ARRAYS.filter(lambda array: array.size).map(lambda array: array.ravel()[0]))
LEAF = st.builds(Leaf, ARRAYS, PLAIN)
KEYS = st.one_of(TEXTS, st.integers(-9, 9))


def nested(inner):
    return st.one_of(
        st.lists(inner, max_size=3),
        st.lists(inner, max_size=3).map(tuple),
        st.dictionaries(KEYS, inner, max_size=3),
        st.builds(Leaf, ARRAYS, inner),
        st.builds(Branch, st.lists(LEAF, max_size=2).map(tuple), st.dictionaries(TEXTS, ARRAYS), st.floats()),
    )


VALUES = st.recursive(LEAVES, nested, max_leaves=12)


def assert_same(one, other):
    """Equal to the bit, types included; for an array all but its byte order and order of axes."""
    assert type(one) is type(other)
    if isinstance(one, np.ndarray | np.generic):
        assert other.dtype == one.dtype.newbyteorder("<")
        assert other.shape == one.shape
        assert other.tobytes() == one.astype(one.dtype.newbyteorder("<")).tobytes()
    elif dataclasses.is_dataclass(one):
        assert_same(vars(one), vars(other))
    elif isinstance(one, tuple | list):
        assert len(one) == len(other)
        for a, b in zip(one, other):
            assert_same(a, b)
    elif isinstance(one, dict):
        assert list(one) == list(other)
        assert_same(list(one.values()), list(other.values()))
    elif isinstance(one, float):
        assert math.isnan(one) == math.isnan(other)
        assert math.isnan(one) or (one, math.copysign(1, one)) == (other, math.copysign(1, other))
    else:
        assert one == other


@settings(max_examples=150)
@given(VALUES)
def test_every_value_comes_back(value):
    flat = flatten(value, TYPES)
    stored = manifest.check_arrays(flat.arrays)  # as a model file would hold them
    assert_same(value, rebuild(stored, json.loads(json_bytes(flat.skeleton, "skeleton")), TYPES))
    assert_same(value, unpack_tree(pack_tree(value, TYPES), TYPES))


def test_bits_orders_and_flags_of_arrays():
    nan = np.array([0x7FF8000000000123, 0xFFF0000000000001, 1 << 63], dtype=np.uint64).view(np.float64)
    fixed = np.arange(3)
    fixed.flags.writeable = False
    value = {
        "nan": nan,
        "columns": np.asfortranarray(np.arange(6).reshape(2, 3)),
        "steps": np.arange(20)[::-3],
        "fixed": fixed,
        "empty": np.zeros((0, 5), np.float16),
        "single": np.array(True),
        "big": np.arange(3, dtype=">i4"),
        "scalar": np.float32(-0.0),
        "zero": -0.0,
    }
    back = unpack_tree(pack_tree(value, ()), ())
    assert_same(value, back)
    assert back["columns"].flags.c_contiguous


def test_names_say_the_way():
    value = Branch(
        (Leaf(np.ones(1)), Leaf(np.ones(2), [np.ones(3)])), {"a b": np.ones(4), "é": np.ones(5)}, 0.5
    )
    assert {name: len(array) for name, array in flatten(value, Branch).arrays.items()} == {
        "leaves0_scores": 1,
        "leaves1_scores": 2,
        "leaves1_note0": 3,
        "by_name_a-b": 4,
        "by_name_-": 5,
    }
    twice = flatten({"a": (np.ones(1),), "a0": np.ones(2), "a-": np.ones(3), "a ": np.ones(4)}, ())
    assert list(twice.arrays) == ["a0", "a0.1", "a-", "a-.1"]


@pytest.mark.parametrize(
    ("value", "message"),
    [
        ([np.array([{}])], r"^array 'value\[0\]' must be bool, .*, got dtype object"),
        ({"a": np.array(["x"])}, r"^array \"value\['a'\]\" must be bool, .*, got dtype <U1"),
        (Leaf(np.ones(1, complex)), r"^array 'value.scores' must be bool, .*, got dtype complex128"),
        (Leaf(np.ones(1), {1, 2}), r"^value.note must be an array, .* in \['Branch', .*\], got set"),
        ([(), Colour.RED], r"^value\[1\] must be an array, .*, got Colour"),
        ([np.ma.ones(2)], r"^value\[0\] must be an array, .*, got MaskedArray"),
        (dataclasses.make_dataclass("Leaf", [])(), r"^value must be an array, .*, got Leaf"),
        ({(1, 2): 3}, r"^keys of value must be str or int, got \(1, 2\)"),
        ({True: 3}, r"^keys of value must be str or int, got True"),
        ([10**4000], r"^value\[0\] must have at most 4000 digits, got 13288 bits"),
        ({1 << 63: 0}, r"^value must fit in 64 bits, got 9223372036854775808"),
        (["\ud800"], r"^value must be text that UTF-8 can hold, got '\\ud800'"),
        ({"\ud800": 1}, r"^value must be text that UTF-8 can hold"),
        (Leaf([1.0]), r"^value.scores must be of kind ndarray, got list"),
        (Leaf(None), r"^value.scores must be of kind ndarray, got NoneType"),
        (Branch([], {}, 0.5), r"^value.leaves must be of kind tuple\[.*Leaf, \.\.\.\], got list"),
        (Branch((), {}, "0.5"), r"^value.share must be of kind float, got str"),
    ],
)
def test_what_it_cannot_hold(value, message):
    with pytest.raises(ArgumentError, match=message):
        flatten(value, TYPES)


def test_a_loop_is_refused():
    loop = []
    loop.append(loop)
    with pytest.raises(ArgumentError, match=rf"^value\[0\].* must be nested at most {MAX_DEPTH} deep"):
        flatten(loop, ())


def test_types_must_be_records_with_names_of_their_own():
    with pytest.raises(ArgumentError, match=r"^types must be NamedTuples or dataclasses, got <class"):
        flatten({}, dict)
    other = dataclasses.make_dataclass("Leaf", [("x", int)])
    with pytest.raises(ArgumentError, match=r"^types must have names of their own, got two of 'Leaf'"):
        rebuild({}, None, (Leaf, other))


A, B = np.ones(2), np.array(3)
LEAF_NODE = {"class": "Leaf", "fields": {"scores": {"array": "a"}, "note": None}}


@pytest.mark.parametrize(
    ("arrays", "skeleton", "message"),
    [
        ({}, {"class": "Model", "fields": {}}, r"^value must be of a class in \['Branch', .*, got 'Model'"),
        ({}, {"class": ["Leaf"], "fields": {}}, r"^value must be of a class in .*, got \['Leaf'\]"),
        ({}, [{"class": "Leaf", "fields": {"note": 1}}], r"^value\[0\] must have the fields .* \['note'\]$"),
        (
            {"a": A},
            {"class": "Leaf", "fields": {**LEAF_NODE["fields"], "more": 1}},
            r"^value must have the fields \['scores', 'note'\] of Leaf, got \['more', 'note', 'scores'\]",
        ),
        ({}, {"class": "Leaf", "fields": 3}, r"^value must have the fields .*, got 3"),
        (
            {},
            {"class": "Leaf", "fields": {"scores": 1, "note": 1}},
            r"^value.scores must be of kind ndarray, got int",
        ),
        ({}, {"class": "Strict", "fields": {"n": -1}}, r"^value must be what Strict takes: n must be"),
        ({"a": A}, 3, r"^value must use all arrays, got \['a'\] beside"),
        ({}, LEAF_NODE, r"^value.scores must have an array of its own, got 'a'"),
        ({"a": A}, [{"array": "a"}, {"array": "a"}], r"^value\[1\] must have an array of its own, got 'a'"),
        ({}, {"array": ["a"]}, r"^value must have an array of its own, got \['a'\]"),
        ({"a": A}, {"scalar": "a"}, r"^value must be a single number, got shape \(2,\)"),
        ({}, {"int": "1e9"}, r"^value must be a whole number of at most 4000 digits, got '1e9'"),
        ({}, {"int": 3}, r"^value must be a whole number of at most 4000 digits, got 3"),
        ({}, {"int": 4001 * "9"}, r"^value must be a whole number of at most 4000 digits, got '999"),
        ({}, {"float": "1e9"}, r"^value must be one of \['nan', 'inf', '-inf'\], got '1e9'"),
        ({}, {"eval": "1"}, r"^value must be a node of a skeleton, got \{'eval': '1'\}"),
        ({}, {}, r"^value must be a node of a skeleton, got \{\}"),
        ({}, {"tuple": "ab"}, r"^value must be a list of nodes, got 'ab'"),
        ({}, {"dict": [["a", 1], ["a", 2]]}, r"^value must have each key once, got \['a', 'a'\]"),
        ({}, {"dict": [[["a"], 1]]}, r"^value must be a list of keys and nodes"),
        ({"_bytes": np.zeros(3, np.uint8)}, {"text": [2, 2]}, r"^value must lie in 3 bytes, got \[2, 2\]"),
        ({"_bytes": np.zeros(3, np.uint8)}, {"bytes": [-1, 2]}, r"^value must lie in 3 bytes, got \[-1, 2\]"),
        ({"_bytes": np.full(3, 255, np.uint8)}, {"text": [0, 3]}, r"^value must be a text: 'utf-8' codec"),
        ({}, {"base64": [0, 0]}, r"^value must be a head and a place, got \[0, 0\]"),
    ],
)  # fmt: skip
def test_what_cannot_have_been_written(arrays, skeleton, message):
    with pytest.raises(DamagedError, match=message):
        rebuild(arrays, skeleton, TYPES)


def test_a_deep_skeleton_is_refused():
    deep = json.loads(300 * "[" + 300 * "]")
    with pytest.raises(DamagedError, match="must be nested at most"):
        rebuild({}, deep, ())
    for text in (b"[" * 100_000, b"\xff", b"{"):
        with pytest.raises(DamagedError, match=r"^value must have a skeleton in JSON"):
            unpack_tree({"_skeleton": np.frombuffer(text, np.uint8)}, ())
    with pytest.raises(DamagedError, match=r"^value must have a skeleton in JSON: KeyError"):
        unpack_tree({}, ())


def skeleton_damages(seeds):
    """Damage a skeleton once for each seed; yield whether it was refused or consists of allowed classes."""
    value = {
        "b": Branch((Leaf(A, "text"), Leaf(A + 1, (1, None))), {"x": A, "y": A + 2}, math.inf),
        "long": [2000 * "long", b"bytes", np.float32(2), {3: True}],
    }
    whole = pack_tree(value, TYPES)
    text = whole["_skeleton"].tobytes()
    for seed in seeds:
        broken = bytearray(text)
        draw = random.Random(seed)
        for _ in range(draw.randrange(1, 4)):
            at = draw.randrange(len(broken))
            if draw.random() < 0.5:
                broken[at] = draw.choice(b'0123456789[]{}",:abclasstupledictarrayLeafBranch')
            else:
                other = draw.randrange(len(broken))
                broken[min(at, other) : max(at, other)] = broken[at : at + draw.randrange(1, 30)]
        try:
            rebuilt = unpack_tree(whole | {"_skeleton": np.frombuffer(bytes(broken), np.uint8)}, TYPES)
        except DamagedError:
            yield "refused"
        else:
            flatten(rebuilt, TYPES)  # only allowed classes, and every field of its type
            yield "taken"


def test_damaged_skeletons_are_refused_or_of_allowed_classes():
    outcomes = list(skeleton_damages(range(N_MUTATIONS)))
    assert outcomes.count("refused") > 0.8 * N_MUTATIONS
    assert outcomes.count("taken"), "a changed letter of a text is a value too: digests see to that"
