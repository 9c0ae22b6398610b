"""The table of state: any address gives a page values in range, which survive writing and reading."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from streamlit.testing.v1 import AppTest

from spcviz.problems.letters.state import LETTERS
from spcviz.web.ui.state import StateTable, choice, flag, list_pinned, real, text, whole

TABLE = StateTable(
    whole("level", 1, 1, 6),
    real("alpha", None, 0.0, 1.0),
    choice("view", "grid", ("grid", "bars")),
    flag("controls", True),
    text("cell", "", r"(?:[1-9]-[a-z]+)?"),
)
OPENED = StateTable(*TABLE.fields.values(), opening={"level": 2, "view": "bars"})
TABLES = {"letters": LETTERS, "small": TABLE, "opened": OPENED}
ELSEWHERE = StateTable(choice("pair", "dots", ("dots", "motorcycle"), elsewhere="cones|motorcycle"))
nasty = st.one_of(
    st.text(),
    st.sampled_from(
        ["nan", "inf", "-inf", "1e999", "1e-999", "0x10", "１", "١", "1_0", " 1", "1\n", "-0", "00", "True"]
    ),
    st.integers().map(str),
    st.floats().map(str),
    st.text("0123456789.e-:,abc_", max_size=40),
)


def in_range(table, state):
    return set(state) == set(table.fields) and all(f.allows(state[n]) for n, f in table.fields.items())


def states(table):
    """Strategy for any state of a table that code may write."""
    values = {}
    for name, field in table.fields.items():
        if field.choices:
            values[name] = st.sampled_from(field.choices)
        elif field.kind == "whole":
            values[name] = st.integers(int(field.low), int(field.high))
        elif field.kind == "real":
            values[name] = st.none() | st.floats(field.low, field.high)
        else:
            values[name] = st.from_regex(field.pattern, fullmatch=True).filter(field.allows)
    return st.fixed_dictionaries(values)


@pytest.mark.parametrize("table", TABLES.values(), ids=TABLES)
@given(data=st.data())
def test_any_address_gives_values_in_range_and_settles(table, data):
    names = st.one_of(st.sampled_from(sorted(table.fields)), st.text())
    params = data.draw(st.dictionaries(names, nasty))
    state = table.parse(params)
    assert in_range(table, state)
    written = table.encode(state)
    assert table.parse(written) == state
    assert table.encode(table.parse(written)) == written


@given(data=st.data())
def test_an_opening_changes_no_address_that_says_something(data):
    """A link means the same with an opening as before the table had one."""
    names = st.sampled_from(sorted(TABLE.fields))
    params = data.draw(st.dictionaries(names, nasty, min_size=1))
    assert OPENED.parse(params) == TABLE.parse(params)
    state = data.draw(states(TABLE).filter(lambda state: state != TABLE.defaults))
    assert OPENED.parse(TABLE.encode(state)) == state


def test_an_address_that_says_nothing_is_the_opening():
    assert OPENED.parse({}) == OPENED.parse({"tour": "x"}) == OPENED.first_scene
    assert OPENED.first_scene == TABLE.defaults | {"level": 2, "view": "bars"}
    assert OPENED.encode(OPENED.first_scene) == {}
    assert OPENED.encode(TABLE.defaults) == {"level": "1"}
    assert OPENED.narrow(level=(3, 5)).first_scene == TABLE.defaults | {"level": 3, "view": "bars"}


def test_what_is_missing_does_not_turn_into_the_opening():
    """A link to a missing value implies the fields' defaults, even if all else is the first scene."""

    def script(scene):
        from spcviz.web.ui.state import StateTable, choice, whole

        pair = choice("pair", "dots", ("dots",), elsewhere="cones")
        StateTable(pair, whole("level", 1, 1, 6), opening={"level": 2}).write(**scene)

    for scene, left in (({"level": 2}, {"pair": "cones", "level": "2"}), ({"level": 1}, {"pair": "cones"})):
        at = AppTest.from_function(script, args=(scene,))
        at.query_params["pair"] = "cones"
        at.run()
        assert not at.exception
        asked = at.query_params.items()
        assert {name: written[0] if isinstance(written, list) else written for name, written in asked} == left


@pytest.mark.parametrize("table", TABLES.values(), ids=TABLES)
@given(data=st.data())
def test_what_is_written_is_read_again(table, data):
    state = data.draw(states(table))
    assert table.parse(table.encode(state)) == state


@given(
    junk=st.dictionaries(st.sampled_from(sorted(LETTERS.fields)), st.one_of(st.none(), st.floats(), nasty))
)
def test_values_out_of_range_become_defaults(junk):
    assert in_range(LETTERS, LETTERS.clean(junk))


def test_defaults_and_bad_values_are_not_written():
    assert TABLE.encode(TABLE.defaults) == {}
    assert TABLE.encode({"level": 9, "alpha": 2.0, "view": "pie", "controls": 7, "cell": "<b>"}) == {}
    assert TABLE.encode({"controls": 0, "alpha": 0.0}) == {"controls": "0", "alpha": "0.0"}


def test_alphas_below_the_mean_are_read_and_pinned():
    pin = "open:-0.25,-1e-7,-12.5,0.5,1"
    state = LETTERS.parse({"a1": "-0.25", "a2": "-100", "a3": "-101", "pin_a": pin, "pin_b": "open:-101"})
    assert (state["a1"], state["a2"], state["a3"], state["pin_b"]) == (-0.25, -100.0, None, "")
    assert list_pinned(state)["A"] == (pin, "open", [-0.25, -1e-7, -12.5, 0.5, 1.0])


def test_a_whole_number_is_a_real_one_but_not_the_other_way_round():
    alpha = TABLE.clean({"alpha": 1})["alpha"]
    assert (alpha, type(alpha)) == (1.0, float)
    assert TABLE.clean({"alpha": True}) == TABLE.clean({"alpha": 10**400}) == TABLE.defaults


def test_a_value_of_another_type_is_not_taken_for_a_default():
    assert TABLE.clean({"level": 1.0, "controls": True}) == TABLE.defaults
    assert type(TABLE.clean({"level": 1.0})["level"]) is int


def test_narrowing_moves_the_default_to_what_exists():
    table = TABLE.narrow(level=(3, 5))
    assert table.defaults["level"] == 3
    assert table.parse({"level": "5"})["level"] == 5
    assert table.parse({"level": "4"})["level"] == 3
    assert table.encode({"level": 3}) == {}


@pytest.mark.parametrize(
    ("name", "good", "bad"),
    [
        ("pin_a", "raw:0.12,1,0,0.5", "raw:0.12,1.5"),
        ("pin_b", "hog:1e-05", "raw:"),
        ("cell", "12-abc", "0-a"),
        ("a3", "0.25", "1.01"),
        ("features", "fourier", "../x"),
        ("word", "17", "-5"),
    ],
)
def test_letters_addresses(name, good, bad):
    assert LETTERS.encode(LETTERS.parse({name: good}))
    assert LETTERS.parse({name: bad}) == LETTERS.defaults


def test_writing_an_unknown_name_names_it():
    with pytest.raises(KeyError, match="nonsense is not in the table"):
        LETTERS.write(nonsense=1)


@pytest.mark.parametrize(
    ("asked", "missing"),
    [("cones", True), ("motorcycle", False), ("dots", False), ("cone", False), ("", False)],
)
def test_what_another_machine_may_have_is_told_from_a_typing_error(asked, missing):
    assert ELSEWHERE.missing({"pair": asked, "other": "cones"}) == ({"pair": asked} if missing else {})
    assert ELSEWHERE.parse({"pair": asked})["pair"] == (asked if asked == "motorcycle" else "dots")


@pytest.mark.parametrize("asked", [None, 3, "cones" * 100, "cones\n"])
def test_nothing_odd_is_ever_missing(asked):
    assert ELSEWHERE.missing({"pair": asked}) == {}


@pytest.mark.parametrize(
    ("name", "value", "left"), [("pair", "dots", {}), ("level", 2, {"pair": "cones", "level": "2"})]
)
def test_what_is_missing_stays_until_it_is_chosen_anew(name, value, left):
    def script(name, value):
        from spcviz.web.ui.state import StateTable, choice, whole

        pair = choice("pair", "dots", ("dots",), elsewhere="cones")
        StateTable(pair, whole("level", 1, 1, 6)).write(**{name: value})

    at = AppTest.from_function(script, args=(name, value))
    at.query_params["pair"] = "cones"
    at.run()
    assert not at.exception
    asked = at.query_params.items()
    assert {name: written[0] if isinstance(written, list) else written for name, written in asked} == left
