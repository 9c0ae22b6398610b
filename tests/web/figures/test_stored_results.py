"""Common fields of reproduced results, and the blocks that show them."""

from spcviz.problems.letters.paper.result import ORDERS
from spcviz.problems.letters.paper.result import SWEEP as SWEEPS
from spcviz.web.figures import stored_results
from tests.problems.letters.paper.test_tables_shown import RESULT, SWEEP


def test_results_of_another_form_are_refused_and_unknown_ones_shown_as_they_are():
    assert stored_results.is_usable(RESULT, ORDERS.needs)
    assert stored_results.is_usable(SWEEP, SWEEPS.needs)
    for bad in (None, [], {}, {"rows": []}, {"rows": [1], "name": "x"}, {"rows": [{}]}):
        assert not stored_results.is_usable(bad)
    assert not stored_results.is_usable({"name": "x", "rows": [{"order": 1}]}, ORDERS.needs)
    assert list(stored_results.any_frame({"rows": [{"a": 1, "b": [1]}, {"a": 2, "b": [2]}]}).columns) == ["a"]
    assert stored_results.features_of({"rows": [{"a": 1}]}) == []


def test_the_command_repeats_the_settings():
    expected = "python -m spcviz reproduce ocr-orders --features raw hog --folds 10"
    assert stored_results.command_of(RESULT) == expected
    assert stored_results.command_of({"name": "x"}) == "python -m spcviz reproduce x"
    assert stored_results.command_of({"name": "x", "command": "make x"}) == "make x"


def test_the_origin_names_data_machine_and_time():
    said = stored_results.origin_sentence(RESULT)
    assert "68f081451e99" in said
    assert "2 cores" in said
    assert "10 of 10 test folds" in said
    assert stored_results.origin_sentence({})


def test_where_settings_were_chosen_is_said_if_known():
    assert stored_results.chosen_on({"settings": {"chosen_on": "fold 1"}}) == [
        "Settings were chosen on: fold 1."
    ]
    assert stored_results.chosen_on({"settings": {}}) == []


def test_a_chart_is_drawn_when_it_is_wanted():
    drawn = []
    made = stored_results.chart(
        lambda result, **look: drawn.append((result, look)) or 1, "r", {"scale": 2}, joint="e"
    )
    assert drawn == []
    assert made.make() == 1
    assert drawn == [("r", {"scale": 2, "joint": "e"})]


def test_a_result_that_no_problem_knows_is_one_table():
    (table,) = stored_results.ANYTHING.blocks({"name": "x", "rows": [{"a": 1}]}, "", {})
    assert table.name == "x"


def test_lists_and_numbers():
    assert stored_results.bullets([], "Nothing.") == "Nothing."
    assert stored_results.number_format("µs a word, dense", {}) == "%.0f"
    assert stored_results.number_format("kept % at 1 % lost", {"kept": 1}) == "%.1f"
