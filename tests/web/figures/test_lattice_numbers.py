"""A lattice's values for tasks: computing only those that a task reads gives the same values as all."""

import pytest

from spcviz.problems.letters.page import cached
from spcviz.web.course import task as tasks
from spcviz.web.figures.lattice_numbers import values

EVERY = tasks.every()
NAMES = {name for one in EVERY.values() for name in one.names}


@pytest.fixture(scope="module")
def traces():
    if not cached.FIRST:
        pytest.skip("the cascade of letters is not stored here")
    return cached.letters_trace(3, "raw", 4, (0.6, 0.8)), cached.letters_trace(3, "raw", 4)


@pytest.mark.parametrize("at", [1, 2, 4, 9])
@pytest.mark.parametrize("cell", ["", "2-a", "3-ab", "77-z"])
def test_what_is_wanted_is_counted_as_if_all_were(traces, at, cell):
    trace, tuned = traces
    full = values(trace, at, cell, tuned)
    for wanted in [*({name} for name in full | dict.fromkeys(NAMES)), *(one.names for one in EVERY.values())]:
        some = values(trace, at, cell, tuned, wanted)
        assert {name: some[name] for name in wanted if name in some} == {
            name: full[name] for name in wanted if name in full
        }


def test_the_shown_level_has_its_numbers_and_the_words_left_are_no_more_than_before(traces):
    full = values(traces[0], 2)
    assert full["left"] == full["left_2"]
    assert full["kept"] == full["kept_2"]
    assert values(traces[0], 9)["left"] == full["left_4"]
    assert "left_1" not in values(traces[0], 2, wanted={"left"})
    assert values(traces[0], 2, wanted=frozenset())["level"] == 2
