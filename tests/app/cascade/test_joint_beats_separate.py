"""The Joint beats separate page, driven through app.py."""

import json
from functools import partial

import pytest

from spcviz.problems.pictures.page import cached
from tests.app.driver import check, open_page

PAGE = "pages/learn/joint_beats_separate.py"


visit = partial(open_page, PAGE)


def choose(at, name, value):
    widgets = [*at.get("button_group"), *at.slider, *at.toggle]
    return check(next(w for w in widgets if w.key == f"joint_{name}").set_value(value).run())


def said(at):
    return "\n".join(m.value for m in [*at.markdown, *at.caption])


def chart(at):
    (figure,) = at.get("plotly_chart")
    return json.loads(figure.proto.spec)


def wrong(at):
    titles = [n["text"] for n in chart(at)["layout"]["annotations"]][-3:]
    return [float(t.split(": ")[1].split()[0]) for t in titles]


def params_of(at):
    return {name: value[0] if isinstance(value, list) else value for name, value in at.query_params.items()}


@pytest.mark.parametrize("pair", ["cones", "adirondack"])
def test_photographs_that_somebody_brought_too(shared_data, pair):
    at = visit(pair=pair)
    assert not at.info
    check_that_the_grid_beats_rows_and_rows_beat_pixels(at)


@pytest.mark.parametrize("pair", ["dots", "motorcycle"])
def test_two_eyes_the_grid_beats_rows_and_rows_beat_pixels(pair):
    check_that_the_grid_beats_rows_and_rows_beat_pixels(visit(pair=pair))


def check_that_the_grid_beats_rows_and_rows_beat_pixels(at):
    one, rows, grid = wrong(at)
    assert one > rows > grid
    assert "Every neighbour that is asked helps" in said(at)
    assert "mean distance, pixels" in said(at)


@pytest.mark.parametrize("picture", cached.PICTURES)
def test_spoiled_pictures_are_cleaned(picture):
    one, rows, grid = wrong(visit(show="clean", picture=picture))
    assert one >= rows > grid


def test_without_smoothness_all_three_are_the_same_and_choices_go_to_the_address():
    at = choose(visit(), "smooth", 0.0)
    assert params_of(at) == {"smooth": "0.0"}
    assert len(set(wrong(at))) == 1
    assert "No difference here" in said(at)
    at = choose(at, "show", "clean")
    assert params_of(at) == {"show": "clean"}  # another picture, its own noise and smoothness
    at = choose(at, "mistakes", True)
    assert params_of(at) == {"show": "clean", "mistakes": "1"}
    assert len(chart(at)["data"]) == 7
    at = check(next(b for b in at.button if b.label == "Other noise").click().run())
    assert params_of(at)["seed"] == "2"


@pytest.mark.parametrize("show", ["stereo", "clean"])
@pytest.mark.parametrize(
    "params",
    [
        {"noise": "0.0", "smooth": "0.0"},
        {"noise": "1.0", "smooth": "3.0"},
        {"noise": "0.5", "seed": "999999", "mistakes": "1"},
    ],
)
def test_extremes(show, params):
    assert chart(visit(show=show, **params))
    assert chart(visit(show=show, picture="word", **params))


def test_without_the_data_folder_the_page_still_has_something_to_show(monkeypatch):
    monkeypatch.delenv("SPCVIZ_DATA", raising=False)
    at = visit(pair="cones")
    assert at.info[0].value.startswith(
        "This link asks for the stereo pair Cones, whose photographs are not here"
    )
    assert "Shown instead: random dots." in at.info[0].value
    assert params_of(at)["pair"] == "cones"
    assert wrong(at)[2] < 10
    assert not visit(pair="motorcycle").info  # scikit-image brings it


@pytest.mark.parametrize(
    "params",
    [
        {"show": "x"},
        {"pair": "../x"},
        {"picture": ""},
        {"noise": "nan"},
        {"noise": "1.1"},
        {"smooth": "-1"},
        {"seed": "abc"},
        {"mistakes": "2"},
    ],
)
def test_bad_values_of_the_address_are_dropped(params):
    assert not set(params) & set(params_of(visit(**params)))


def test_controls_can_be_hidden():
    at = visit(controls="0")
    assert not at.get("button_group")
    assert not at.slider
