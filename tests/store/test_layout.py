"""Records by the names of their arrays: what names can express comes back, anything else is refused."""

from typing import NamedTuple

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from spcviz.engine.errors import ArgumentError
from spcviz.learning.cascade.online import Model
from spcviz.store import StoredModel, StoreError, arrays_of, record_of, stored_as
from spcviz.store.errors import DamagedError
from tests.store.test_tree import ARRAYS, assert_same


class Inner(NamedTuple):
    weights: np.ndarray
    scale: float


class Outer(NamedTuple):
    inner: tuple[Inner, ...]
    rows: list[tuple[np.ndarray, ...]]
    pair: tuple[np.ndarray, int]
    part: dict[int, Inner]
    by_name: dict[str, np.ndarray]
    phases: np.ndarray | None
    last: Inner | None
    is_on: bool


class Loose(NamedTuple):
    levels: tuple
    note: object = None


class Ambiguous(NamedTuple):
    a: tuple[np.ndarray, ...]
    a0: np.ndarray | None


class Near(NamedTuple):
    a: tuple[np.ndarray, ...]
    a0b: np.ndarray
    a1_: np.ndarray | None


INNER = st.builds(Inner, ARRAYS, st.floats())
OUTER = st.builds(
    Outer,
    st.lists(INNER, max_size=12).map(tuple),
    st.lists(st.lists(ARRAYS, min_size=1, max_size=2).map(tuple), max_size=3),
    st.tuples(ARRAYS, st.integers(-9, 9)),
    st.dictionaries(st.integers(0, 20), INNER, max_size=3),
    st.dictionaries(st.from_regex(r"[a-z][a-z_]{0,5}", fullmatch=True), ARRAYS, max_size=3),
    st.one_of(st.none(), ARRAYS),
    st.one_of(st.none(), INNER),
    st.booleans(),
)


@settings(max_examples=100)
@given(OUTER)
def test_every_record_comes_back(record):
    assert_same(record, record_of(Outer, arrays_of(record)))


def test_fields_that_look_like_items_are_none():
    for record in (Near((), A, None), Near((A, A), A, None)):
        assert_same(record, record_of(Near, arrays_of(record)))


def test_names_are_those_of_the_files():
    one = Inner(np.ones(1), 2.0)
    arrays = arrays_of(Outer((one,), [(A, A)], (A, 3), {7: one}, {"x_y": A}, None, one, True))
    assert sorted(arrays) == [
        "by_name_x_y", "inner0_scale", "inner0_weights", "is_on", "last_scale", "last_weights", "pair0",
        "pair1", "part_7_scale", "part_7_weights", "rows0_0", "rows0_1",
    ]  # fmt: skip


A = np.ones(2)
ONE = Inner(A, 0.5)


@pytest.mark.parametrize(
    ("record", "message"),
    [
        (Outer((), [()], (A, 1), {}, {}, None, None, True), r"^value must be told by the names"),
        (Inner(A, "0.5"), r"^value.scale must be of kind float, got str"),
        (Loose((A,)), r"^value.levels must have an annotation .*, got <class 'tuple'>"),
        (Loose((), "text"), r"^value.note must be an array or a number to be kept by name, got 'text'"),
        (Ambiguous((), A), r"^value must be told by the names of its arrays, got \['a0'\]"),
        (Inner(np.array(["x"]), 0.5), r"^array 'value.weights' must be bool"),
    ],
)  # fmt: skip
def test_what_names_cannot_tell(record, message):
    with pytest.raises(ArgumentError, match=message):
        arrays_of(record)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"scale": None}, r"^value.scale must have an array 'scale', which is missing"),
        ({"more": A}, r"^value must use all arrays, got \['more'\] beside"),
        ({"scale": A}, r"^value.scale must be a single number, got shape \(2,\)"),
    ],
)
def test_arrays_of_another_record(change, message):
    arrays = {name: array for name, array in (arrays_of(ONE) | change).items() if array is not None}
    with pytest.raises(DamagedError, match=message):
        record_of(Inner, arrays)
    with pytest.raises(StoreError, match=r"^model 'ocr-raw' does not hold what tests.*reads: value"):
        stored_as(Inner, StoredModel("ocr-raw", arrays, {}))
    with pytest.raises(StoreError, match=r"; repair with: python -m spcviz train ocr$"):
        stored_as(Inner, StoredModel("ocr-raw", arrays, {}))


def test_a_dataclass_with_a_cache_is_its_fields():
    model = Model(np.ones((2, 3)), np.arange(2), np.ones(2))
    assert model.packed_weights.dtype == np.float32  # now it holds more than its fields
    assert sorted(arrays_of(model)) == ["keys", "values", "weights"]
