"""The Exact inference page, driven through app.py."""

import json
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

ROOT = Path(__file__).parents[2]
PAGE = "pages/learn/exact_inference.py"


def visit(**params):
    at = AppTest.from_file(ROOT / "app.py", default_timeout=60).run()
    at.switch_page(PAGE)
    for name, value in params.items():
        at.query_params[name] = value
    return checked(at.run())


def checked(at):
    assert not at.exception
    assert not at.error
    return at


def control(at, name):
    widgets = [*at.get("button_group"), *at.selectbox, *at.slider, *at.text_input]
    return next(w for w in widgets if w.key == f"exact_{name}")


def choose(at, name, value):
    return checked(control(at, name).set_value(value).run())


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
    assert metric(at, "Search: readings") == f"{26**8:,}"
    assert "too many to try" in said(at)


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
    assert f"**{total:,} numbers stored** score **456,976 configurations**" in said(at)


def test_own_sets_are_read_and_nonsense_is_forgotten():
    at = choose(visit(show="tables"), "typed", " 12  3 ")
    assert params_of(at)["sets"] == "12 3"
    at = choose(at, "typed", "12 ab")
    assert "sets" not in params_of(at)
    assert "2,132" in said(at)


def test_message_by_message_to_the_end_and_back():
    at = visit(show="messages", letters="3", candidates="4")
    texts = []
    for _ in range(5):
        at = checked(next(b for b in at.button if b.label == "Next").click().run())
        texts.append(said(at))
    assert "Forward message 1 of 2" in texts[0]
    assert "Forward message 2 of 2" in texts[1]
    assert "Backward message 1 of 2" in texts[2]
    assert "Max-marginals" in texts[4]
    assert next(b for b in at.button if b.label == "Next").disabled
    at = checked(next(b for b in at.button if b.label == "Start").click().run())
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


def test_two_eyes_the_grid_beats_rows_and_rows_beat_pixels():
    at = visit(show="stereo")
    (chart,) = at.get("plotly_chart")
    titles = [n["text"] for n in json.loads(chart.proto.spec)["layout"]["annotations"]][3:]
    wrong = [float(t.split(": ")[1].split()[0]) for t in titles]
    assert wrong[0] > wrong[1] > wrong[2]
    for noise, smooth in ((0.0, 0.0), (1.0, 3.0)):
        assert visit(show="stereo", noise=str(noise), smooth=str(smooth)).get("plotly_chart")


@pytest.mark.parametrize(
    "params",
    [
        {"show": "x"},
        {"word": "-5"},
        {"word": "3"},
        {"letters": "0"},
        {"candidates": "27"},
        {"weight": "inf"},
        {"sets": "5"},
        {"sets": ""},
        {"step": "99"},
        {"noise": "nan"},
        {"smooth": "-1"},
    ],
)
def test_bad_values_of_the_address_are_dropped(params):
    assert not set(params) & set(params_of(visit(**params)))
