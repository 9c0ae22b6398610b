"""The Loopy grids page, driven through app.py."""

import json
import re
from functools import partial

import pytest

from experiments.grids.reproduce import GridSettings, reproduce_grid
from spcviz.problems.grids.page import live, maps
from spcviz.problems.grids.shown import OPENING
from spcviz.web.cached import common
from tests.app.driver import check, open_page

PAGE = "pages/cascade/loopy.py"
VIEWS = ["grid", "errors", "strength", "combs", "pruning", "messages", "agreement"]


@pytest.fixture
def results(tmp_path, monkeypatch):
    """An empty cache folder; yields the folder of results."""
    (tmp_path / "results").mkdir()
    monkeypatch.setattr(common, "RESULTS", tmp_path / "results")
    common.result.clear()
    yield tmp_path / "results"
    common.result.clear()


visit = partial(open_page, PAGE)


def control(at, name):
    widgets = [*at.get("button_group"), *at.selectbox, *at.slider]
    return next(w for w in widgets if w.key == f"loopy_{name}")


def choose(at, name, value):
    return check(control(at, name).set_value(value).run())


def press(at, label):
    return check(next(b for b in at.button if b.label.startswith(label)).click().run())


def said(at):
    return "\n".join(m.value for m in at.markdown)


def number(at, label):
    return float(next(m.value for m in at.metric if m.label.startswith(label)).split()[0])


def charts(at):
    return [json.loads(chart.proto.spec) for chart in at.get("plotly_chart")]


def params_of(at):
    return {name: value[0] if isinstance(value, list) else value for name, value in at.query_params.items()}


def pictured(at):
    """The picture of the grids, as HTML."""
    return "".join(block.proto.body for block in at.get("html") if "grids-beside" in block.proto.body)


def test_the_page_opens_with_the_grid_itself_and_what_the_engine_says_of_it():
    at = visit()
    grid = live.live_grid(*(OPENING[name] for name in ("rows", "columns", "classes", "strength", "seed")))
    shown = maps.panels(grid, live.grid_beliefs(grid), OPENING["comb"])
    for panel in shown[1:]:
        assert f"{panel.n_wrong} of {len(panel.states)} wrong" in pictured(at)
    assert f"**Belief propagation is wrong at {shown[3].n_wrong} of" in said(at)
    assert "Chosen because" in "".join(caption.value for caption in at.caption)
    assert at.main.slider[0].label == "Coupling ω"


def test_the_slider_alone_makes_belief_propagation_fail():
    at, counts = visit(), {}
    for strength in (4.0, 12.0):
        at = choose(at, "strength", strength)
        counts[strength] = [int(n) for n in re.findall(r">[✖✔] (\d+) of 16 wrong", pictured(at))]
    assert counts[4.0][2] < counts[4.0][1]
    assert counts[12.0][2] - counts[12.0][1] > 8
    assert "Belief propagation is wrong at" in said(at)


def test_another_grid_is_not_called_chosen():
    at = press(visit(), "Another grid")
    assert params_of(at)["seed"] == str(OPENING["seed"] + 1)
    assert "Chosen because" not in "".join(caption.value for caption in at.caption)


@pytest.mark.parametrize(
    "params",
    [{"seed": "3"}, {"strength": "4.0", "seed": "0"}, {"k": "2"}, {"controls": "0"}],
)
def test_a_link_from_before_there_was_a_view_of_the_grid_shows_the_errors(params):
    """Names missing from the address mean what they meant then."""
    at = visit(**params)
    strength, seed = float(params.get("strength", 10.0)), int(params.get("seed", 3))
    grid = live.live_grid(5, 5, 4, strength, seed)
    assert number(at, "Lost: combs") == pytest.approx(100 * grid.error[1], abs=0.06)
    assert number(at, "Lost: LBP") == pytest.approx(100 * live.grid_beliefs(grid).error[1], abs=0.06)
    again = check(at.run())
    assert number(again, "Lost: combs") == number(at, "Lost: combs")
    assert not pictured(again)


def test_the_first_grid_of_the_errors_is_one_where_belief_propagation_fails_and_the_combs_hold():
    at = visit(show="errors")
    assert params_of(at) == {"show": "errors"}
    assert number(at, "Lost: LBP") - number(at, "Lost: combs") > 4
    assert number(at, "LBP settled") < 25
    assert "The combs together beat belief propagation" in said(at)


def test_with_weak_coupling_the_page_says_that_belief_propagation_is_better():
    at = press(visit(show="errors"), "Weak")
    assert number(at, "Lost: LBP") < number(at, "Lost: combs")
    assert "Belief propagation ranks better here" in said(at)


@pytest.mark.parametrize("show", VIEWS)
@pytest.mark.parametrize(
    "grid",
    [
        {"rows": "1"},
        {"columns": "1"},
        {"rows": "1", "columns": "1"},
        {"classes": "1"},
        {"rows": "1", "columns": "1", "classes": "1"},
        {"strength": "0.0"},
        {"strength": "40.0", "alpha": "1.0", "damping": "0.95"},
        {"rows": "11", "columns": "11", "classes": "8", "strength": "25.0", "kind": "max", "alpha": "0.0"},
    ],
)
def test_every_view_of_extreme_grids(show, grid):
    at = visit(show=show, **grid)
    assert len(charts(at)) == {"combs": 2, "grid": 0}.get(show, 1)
    assert at.get("html") or show != "grid"


def test_turning_the_coupling_up_makes_belief_propagation_fail_and_not_the_combs():
    at = visit(show="strength")
    assert "the smallest ω = 8" in said(at)
    assert "some of its messages never settle" in said(at)
    weak, strong = (visit(strength=s) for s in ("4.0", "15.0"))
    assert number(weak, "Lost: LBP") < number(weak, "Lost: combs")
    assert number(strong, "Lost: LBP") > number(strong, "Lost: combs") + 4


def test_agreement_in_figures_beside_the_map():
    at = visit(show="agreement")
    assert {m.label for m in at.metric} == {"Median agreement", "Lowest", "Highest", "Same order in all"}


def test_six_combs_of_three_by_three_and_twenty_two_of_eleven():
    assert "**6 combs**" in said(press(visit(), "Six combs"))
    at = press(visit(show="combs"), "The thesis")
    assert "**22 combs**" in said(at)
    assert (
        sum("row" in n["text"] or "column" in n["text"] for n in charts(at)[0]["layout"]["annotations"]) == 22
    )


def test_states_fall_as_alpha_rises_and_broken_variables_are_counted():
    at, left = visit(show="pruning", alpha="0.0"), []
    for alpha in (0.0, 0.5, 1.0):
        at = choose(at, "alpha", alpha)
        left.append(number(at, "States left"))
    assert left == sorted(left, reverse=True)
    assert left[0] > left[-1] == 25
    assert number(at, "Variables rescued") > 0
    assert "had lost them all" in said(at)


def test_messages_change_for_ever_at_the_first_grid_and_settle_with_weak_coupling():
    at = choose(visit(show="messages"), "variable", 0)
    assert "favourite state" in said(at)
    assert "**settled**" in said(choose(at, "strength", 0.5))
    assert len(charts(at)[0]["data"]) == 4 + 2


def test_choices_go_to_the_address_and_a_smaller_grid_forgets_what_it_has_not():
    at = visit(rows="11", columns="11", variable="120", comb="21", show="combs")
    at = choose(at, "rows", 2)
    assert params_of(at)["rows"] == "2"
    assert control(at, "variable").value == 21
    assert control(at, "comb").value == 12
    seed = params_of(press(at, "Another grid"))["seed"]
    assert seed == "4"


@pytest.mark.parametrize(
    "params",
    [
        {"rows": "0"},
        {"rows": "12"},
        {"classes": "abc"},
        {"strength": "nan"},
        {"seed": "-1"},
        {"show": "<b>"},
        {"alpha": "2"},
        {"damping": "1"},
        {"kind": ""},
        {"variable": "121"},
        {"comb": "1e3"},
        {"k": "9"},
    ],
)
def test_bad_values_of_the_address_are_dropped(params):
    assert not set(params) & set(params_of(visit(**params)))


@pytest.mark.parametrize("show", [*VIEWS, "thesis"])
def test_controls_can_be_hidden(show):
    at = visit(show=show, controls="0")
    assert not at.get("button_group")


def test_the_figure_of_the_thesis(results):
    assert "python -m spcviz reproduce grid" in visit(show="thesis").info[0].value
    (results / "grid.json").write_text("{ damaged")
    common.result.clear()
    assert "python -m spcviz reproduce grid" in visit(show="thesis").info[0].value
    made = reproduce_grid(settings=GridSettings(3, 3, 3, 4, 5.0, n_samples=50, n_sweeps=20), quick=True)
    (results / "grid.json").write_text(json.dumps(made, default=bool))
    common.result.clear()
    at = visit(show="thesis")
    assert "order" in said(at)
    assert "quick look" in said(at)
    assert len(charts(at)) == 1
