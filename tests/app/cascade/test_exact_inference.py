"""The page Exact inference through app.py: every choice opens, clicks count, any address is accepted."""

import json
from functools import partial

import pytest

from tests.app.driver import check, open_page

PAGE = "pages/learn/exact_inference.py"


visit = partial(open_page, PAGE)


def control(at, name):
    widgets = [*at.get("button_group"), *at.selectbox, *at.slider]
    return next(w for w in widgets if w.key == f"exact_{name}")


def choose(at, name, value):
    return check(control(at, name).set_value(value).run())


def said(at):
    return "\n".join(m.value for m in at.markdown)


def metric(at, label):
    return next(m.value for m in at.metric if m.label == label)


def params_of(at):
    return {name: value[0] if isinstance(value, list) else value for name, value in at.query_params.items()}


def test_both_really_run_on_four_letters_and_agree():
    at = visit()
    assert params_of(at) == {}
    assert metric(at, "Search: readings") == "456,976"
    assert int(metric(at, "DP: sums").replace(",", "")) < 2132
    assert "the same best score" in said(at)


def test_eight_letters_are_projected_not_run():
    at = choose(visit(), "letters", 8)
    assert metric(at, "Search: readings") == "2.1 × 10¹¹"
    assert "too many to try" in said(at)
    assert f"{26**8:,}" in said(at)
    at = visit(letters="14", word="6832")
    assert "years" in metric(at, "Search: time")
    assert "sums" in at.metric[2].label


def test_ink_alone_says_qv_and_pairs_say_qu():
    at = visit(show="ink", letters="2")
    assert "read “**qv**”" in said(at)
    assert "“**qu**”: pairs outweigh the ink" in said(at)
    assert "“**qv**”: the pairs change nothing" in said(choose(at, "weight", 0.0))


@pytest.mark.parametrize(
    ("sets", "total"), [("1 2 3 4", 104), ("1 2 3 4 12 23 34", 2132), ("1234", 456976), ("14", 676)]
)
def test_decompositions(sets, total):
    at = visit(show="tables", sets=sets)
    assert f"**{total:,} numbers stored**" in said(at)
    assert metric(at, "Numbers stored") == f"{total:,}"
    assert metric(at, "Search looks at") == "456,976"
    used = json.loads(at.get("plotly_chart")[0].proto.spec)["data"][3]
    assert sorted(d[0] for d in used["customdata"]) == sorted(sets.split())


def test_tables_are_added_and_taken_away_and_one_always_stays():
    at = visit(show="tables")
    at = choose(at, "tables", ["1", "2", "3", "4", "12", "23", "34", "14"])
    assert params_of(at)["sets"] == "1 2 3 4 12 23 34 14"
    assert metric(at, "Numbers stored") == "2,808"
    assert "close a **loop**" in said(at)
    at = choose(at, "tables", ["12"])
    assert "Letter 3, 4 is in no table" in said(at)
    assert params_of(choose(at, "tables", []))["sets"] == "12"
    at = choose(at, "sets", "1234")
    assert "**Joint**" in said(at)
    assert metric(visit(show="tables", sets="43 34 1 1"), "Numbers stored") == "702"


def test_message_by_message_to_the_end_and_back():
    at = visit(show="messages", letters="3", candidates="4")
    texts = []
    for _ in range(5):
        at = check(next(b for b in at.button if b.label == "Next").click().run())
        texts.append(said(at))
    assert "Forward message 1 of 2" in texts[0]
    assert "Forward message 2 of 2" in texts[1]
    assert "Backward message 1 of 2" in texts[2]
    assert "Max-marginals" in texts[4]
    assert next(b for b in at.button if b.label == "Next").disabled
    at = check(next(b for b in at.button if b.label == "Start").click().run())
    assert "Nothing has been sent" in said(at)


@pytest.mark.parametrize("show", ["search", "ink", "messages"])
@pytest.mark.parametrize(
    "params",
    [
        {"letters": "1"},
        {"candidates": "1"},
        {"letters": "1", "candidates": "1", "step": "15"},
        {"letters": "8", "candidates": "26", "weight": "3.0", "step": "15"},
    ],
)
def test_extremes(show, params):
    assert visit(show=show, **params).get("plotly_chart")


def test_a_tree_step_by_step_to_the_best_words():
    at, texts = visit(show="tree"), []
    for _ in range(11):
        texts.append(said(at))
        at = check(next(b for b in at.button if b.label == "Next").click().run())
    assert "Nothing has been sent" in texts[0]
    assert "Upward message 5 of 5" in texts[5]
    assert "Downward message 1 of 5" in texts[6]
    assert "spells “**qual/bul**” (◇). The writer wrote “**qual/bul**”" in said(at)
    assert next(b for b in at.button if b.label == "Next").disabled
    at = choose(at, "crossword", "wab-axi")
    assert params_of(at) == {"show": "tree", "crossword": "wab-axi"}


@pytest.mark.parametrize(
    "params",
    [
        {"candidates": "1", "step": "15"},
        {"candidates": "26", "weight": "0.0", "root": "6"},
        {"crossword": "phone-roje", "root": "0", "step": "15", "weight": "3.0"},
        {"crossword": "phon-roje", "step": "9"},
    ],
)
def test_extremes_of_the_tree(params):
    assert visit(show="tree", **params).get("plotly_chart")


def test_letters_are_merged_and_nothing_is_lost():
    at = visit(show="merge")
    assert metric(at, "Merged states") == "9"
    assert metric(at, "Transitions that agree") == "27"
    assert "“**qual**” (written: “qual”)" in said(at)
    assert "the same as the best of all 81 readings" in said(at)
    at = choose(at, "order", 2)
    assert params_of(at) == {"show": "merge", "order": "2"}
    assert "form no loop" in said(at)


@pytest.mark.parametrize(
    "params",
    [
        {"letters": "1", "candidates": "1", "order": "4"},
        {"letters": "14", "order": "4", "weight": "0.0"},
        {"letters": "8", "order": "2", "word": "6831"},
    ],
)
def test_extremes_of_merging(params):
    assert visit(show="merge", **params).get("plotly_chart")


def test_one_slider_leads_from_the_crf_to_the_svm():
    at = visit(show="family", word="6832")
    assert "the CRF's log-loss" in said(at)
    assert metric(at, "Loss") == metric(at, "CRF: log-loss") == "2.49"
    at = choose(at, "epsilon", 0.0)
    assert params_of(at) == {"show": "family", "word": "6832", "epsilon": "0.0"}
    assert "the SVM's hinge" in said(at)
    assert metric(at, "Loss") == metric(at, "SVM: hinge") == "2.62"
    assert metric(at, "Readings to blame") == "1.0"
    at = choose(at, "cost", "none")
    assert params_of(at)["cost"] == "none"
    assert "the perceptron" in said(at)
    assert "nothing is left to learn" in said(visit(show="family", epsilon="0.0"))


@pytest.mark.parametrize(
    "params", [{"letters": "1", "weight": "3.0"}, {"letters": "14", "epsilon": "0.33", "cost": "one"}]
)
def test_extremes_of_the_losses(params):
    assert visit(show="family", **params).get("plotly_chart")


@pytest.mark.parametrize(
    "params",
    [
        {"show": "x"},
        {"order": "5"},
        {"epsilon": "1.1"},
        {"cost": "x"},
        {"word": "-5"},
        {"word": "3"},
        {"letters": "0"},
        {"candidates": "27"},
        {"weight": "inf"},
        {"sets": "5"},
        {"sets": ""},
        {"step": "99"},
        {"letters": "15"},
        {"crossword": "x-y"},
        {"root": "7"},
    ],
)
def test_bad_values_of_the_address_are_dropped(params):
    assert not set(params) & set(params_of(visit(**params)))
