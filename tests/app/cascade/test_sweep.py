"""The Sweep page, driven through app.py."""

import json
from functools import partial

import pytest

from spcviz.problems.letters.page import cached
from spcviz.web.cached import common
from tests.app.driver import check, open_page

PAGE = "pages/cascade/sweep.py"
ROWS = [
    {
        "features": "raw",
        "fold": 0,
        "level": level,
        "method": method,
        "split": split,
        "alpha": [0.1, 0.5],
        "filter_loss": [0.4, 5.0],
        "efficiency_loss": [60.0, 20.0],
    }
    for level in (1, 2)
    for method in ("spc", "perceptron", "crf")
    for split in ("dev", "test")
]


@pytest.fixture
def results(tmp_path, monkeypatch):
    """A cache folder with the real models and no results; yields the folder of results."""
    (tmp_path / "results").mkdir()
    monkeypatch.setattr(common, "RESULTS", tmp_path / "results")
    common.result.clear()
    cached.filters_tuned.clear()
    yield tmp_path / "results"
    common.result.clear()
    cached.filters_tuned.clear()


visit = partial(open_page, PAGE, features="raw")


def control(at, name):
    """A widget, by the name of the field that it sets."""
    widgets = [*at.get("button_group"), *at.select_slider, *at.selectbox]
    return next(w for w in widgets if w.key == f"sweep_{name}")


def choose(at, name, value):
    return check(control(at, name).set_value(value).run())


def said(at):
    return "\n".join(m.value for m in at.markdown)


def number(at, label):
    return float(next(m.value for m in at.metric if m.label.startswith(label)).split()[0])


def chart(at):
    (figure,) = at.get("plotly_chart")
    return json.loads(figure.proto.spec)


def params_of(at):
    """The address without the set of words, each value as a string."""
    every = {name: value[0] if isinstance(value, list) else value for name, value in at.query_params.items()}
    return {name: value for name, value in every.items() if name != "features"}


def test_words_no_dictionary_knows_come_first():
    at = open_page(PAGE)
    assert number(at, "Threshold") == pytest.approx(
        cached.ocr_model(next(iter(cached.OPEN))).cascade.levels[1].alpha, abs=6e-4
    )
    assert params_of(at) == {}


def test_the_page_opens_at_the_alpha_of_training():
    at = visit()
    assert number(at, "Threshold") == pytest.approx(cached.ocr_model("raw").cascade.levels[1].alpha, abs=6e-4)
    assert number(at, "Lost: development") <= control(at, "tol").value
    assert "words" in said(at)
    assert params_of(at) == {}
    assert len(at.get("page_link")) >= 1


@pytest.mark.parametrize("level", ["1", "4"])
def test_the_tolerance_is_training_s_until_another_is_chosen(level):
    at = visit(level=level)
    tolerance = cached.ocr_model("raw").settings.config.tolerances[int(level) - 1]
    assert control(at, "tol").value == pytest.approx(100 * tolerance)
    assert control(choose(at, "tol", 2.0), "tol").value == 2.0


def test_the_picture_and_the_numbers_agree():
    at = visit(level="3", tol="1.0")
    spec = chart(at)
    alpha = number(at, "Threshold")
    assert f"α = {alpha:.3f}" in " ".join(note["text"] for note in spec["layout"]["annotations"])
    assert number(at, "Lost: development") <= 1.0


@pytest.mark.parametrize("level", [1, 2, 3, 4, 5, 6])
def test_every_level(level):
    at = choose(visit(), "level", level)
    assert params_of(at).get("level", "2") == str(level)
    assert number(at, "Threshold") < 1
    assert number(at, "Lost: development") <= control(at, "tol").value


@pytest.mark.parametrize("tol", [0.0, 0.05, 10.0, 100.0])
@pytest.mark.parametrize("by", ["event", "definition"])
def test_extreme_tolerances(tol, by):
    at = visit(tol=str(tol), by=by, level="4")
    assert number(at, "Lost: development") <= tol
    assert control(at, "tol").value == tol


def test_a_level_whose_threshold_is_below_the_mean_says_so():
    at = visit(level="1", tol="0.0")
    assert "The threshold lies below the mean." in said(at)
    assert number(at, "Threshold") < 0
    assert number(at, "Lost: development") == 0
    assert "The threshold lies below the mean." not in said(visit(level="2", tol="1.0"))


@pytest.mark.parametrize("alpha", ["0.0", "0.5", "1.0"])
def test_an_alpha_of_the_address_and_back(alpha):
    at = visit(alpha=alpha)
    assert number(at, "Threshold") == float(alpha)
    (button,) = [b for b in at.button if b.label.startswith("Back")]
    at = check(button.click().run())
    assert "alpha" not in params_of(at)
    assert number(at, "Threshold") != float(alpha)


def test_the_link_opens_this_alpha_at_this_level_on_the_letters_page():
    at = visit(level="3", alpha="0.625")
    links = [link.proto for link in at.get("page_link") if "prune a word" in link.proto.label]
    assert len(links) == 1
    assert "α = 0.625" in links[0].label
    query = links[0].query_string if hasattr(links[0], "query_string") else str(links[0])
    assert "a3=0.625" in query
    assert "level=3" in query


def test_a_choice_forgets_the_alpha_that_was_clicked():
    at = choose(visit(alpha="0.9"), "tol", 1.0)
    assert "alpha" not in params_of(at)


@pytest.mark.parametrize(
    "params",
    [
        {"level": "9"},
        {"level": "abc"},
        {"tol": "-1"},
        {"tol": "nan"},
        {"alpha": "2"},
        {"alpha": "inf"},
        {"show": "<b>"},
        {"by": ""},
        {"margin": "0"},
        {"split": "train"},
        {"zoom": "1"},
        {"features": "../raw"},
        {"features": "nothing"},
    ],
)
def test_bad_values_of_the_address_are_dropped(params):
    at = visit(**params)
    assert not set(params) & set(params_of(at))
    assert at.metric


@pytest.mark.parametrize("show", ["curves", "filters", "bound"])
@pytest.mark.parametrize("controls", ["0", "1"])
def test_every_view_with_and_without_controls(results, show, controls):
    (results / "ocr-sweep.json").write_text(json.dumps({"name": "ocr-sweep", "rows": ROWS}))
    at = visit(show=show, controls=controls)
    assert bool(at.get("button_group")) == (controls == "1")
    assert len(at.get("plotly_chart")) == 1


def test_the_filters_view_without_its_result_says_how_to_make_it(results):
    at = visit(show="filters")
    assert "python -m spcviz reproduce ocr-sweep" in at.info[0].value
    (results / "ocr-sweep.json").write_text("{ damaged")
    common.result.clear()
    assert "python -m spcviz reproduce ocr-sweep" in visit(show="filters").info[0].value


def test_the_filters_view_compares_at_the_tolerance(results):
    (results / "ocr-sweep.json").write_text(json.dumps({"name": "ocr-sweep", "rows": ROWS}))
    at = visit(show="filters", tol="0.5")
    assert "| 1 | cascade filter (SPC) | 60.0 % | 0.40 % | 0.40 % |" in said(at)
    at = choose(choose(at, "split", "dev"), "zoom", "all")
    assert params_of(at) | {"split": "dev", "zoom": "all"} == params_of(at)


@pytest.mark.parametrize("margin", ["0.001", "1000.0"])
def test_the_bound_is_called_vacuous_at_any_margin(margin):
    at = visit(show="bound", margin=margin)
    assert "Vacuous" in said(at)
    assert "| $n$ |" in said(at)
    assert chart(at)["layout"]["xaxis"]["type"] == "log"


def test_theorem_2_stands_beside_theorem_1():
    at = visit(show="bound")
    assert "P = 3, as printed" in said(at)
    at = visit(show="bound", models="22")
    assert "P = 22, as printed" in said(at)
    assert "models" not in visit(show="bound", models="5").query_params


def test_the_bound_is_of_the_words_that_were_chosen():
    """The open vocabulary shares a feature name with the 55 words, but has other words."""
    for features, why in (
        ("open", "put together from the same letter images"),
        ("fourier", "the same 55 words"),
    ):
        words = cached.sweep_level(features, 1).test
        text = said(visit(show="bound", features=features, level="1"))
        assert f"we have {words.n_words - words.n_lost_before:,}." in text
        assert why in text
