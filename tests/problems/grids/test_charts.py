"""The Loopy grids page's charts and sentences, without a browser or a kernel."""

import numpy as np
import pytest

from spcviz.problems.grids.page import charts, maps, text
from spcviz.problems.grids.shown import GridBeliefs, GridPruned, LiveGrid, StrengthSweep
from spcviz.web.figures import palette

PALETTES = (palette.LIGHT, palette.DARK)
EDGES = np.array([[0, 1], [2, 3], [0, 2], [1, 3]])
MEMBER = np.array([[1, 0, 1, 1], [0, 1, 1, 1], [1, 1, 1, 0], [1, 1, 0, 1]], dtype=bool)
RNG = np.random.default_rng(0)
COMBS = RNG.random((4, 4, 3))
SHARES = np.array([[0.7, 0.2, 0.1]] * 4)
ERRORS = np.array([0.3, 0.1, 0.0])
AGREE = np.array([1.0, 0.5, -0.2, 0.4])
LIVE = LiveGrid(
    2, 2, 5.0, 0, EDGES, MEMBER, COMBS.max(axis=(1, 2)), COMBS, COMBS.sum(axis=0), SHARES, 100, 10,
    ERRORS, np.stack([ERRORS * 2] * 4), ERRORS / 2, AGREE,
)  # fmt: skip
TRACE = np.array([[[0.9, 0.1, 0.0]] * 4, [[0.1, 0.9, 0.0]] * 4] * 4)
LOOSE = GridBeliefs("sum", 0.0, TRACE[-1], TRACE, np.full((7, 4), 0.5), np.zeros(4, bool), ERRORS * 1.5)
SETTLED = LOOSE._replace(converged=np.ones(4, bool), residual=np.zeros((7, 4)))
KEEP = np.array([[True, False, False], [True, True, False], [False, True, False], [True, True, True]])
PRUNED = GridPruned(
    0.5, KEEP, 1.0, np.array([True, False, False, False]), 7 / 12, np.array([0.3, 0.1, 0.8, 0])
)


@pytest.mark.parametrize("palette", PALETTES)
def test_every_comb_is_drawn_with_its_own_edges(palette):
    figure = maps.combs(LIVE, 2, 1, palette)
    absent, teeth, spines, nodes = figure.data
    assert [sum(x is not None for x in t.x) // 2 for t in (absent, teeth, spines)] == [4, 8, 4]
    assert len(nodes.x) == 16
    stars = [list(d) for d, symbol in zip(nodes.customdata, nodes.marker.symbol) if symbol == "star"]
    assert stars == [[p, 1] for p in range(4)]
    assert [n.text for n in figure.layout.annotations] == ["row 1", "row 2", "<b>▸ column 1</b>", "column 2"]


@pytest.mark.parametrize("palette", PALETTES)
def test_each_state_is_one_mark_and_the_most_sampled_is_ringed(palette):
    figure = maps.falling(LIVE, PRUNED, 3, palette)
    count = {t.name: sum(x is not None for x in t.x) for t in figure.data}
    assert count["pruned"] + count["kept"] + count["rescued (had lost all)"] == 12
    assert count["rescued (had lost all)"] == 1
    assert count["most sampled state: pruned"] == 1
    assert count["most sampled state: kept"] == 3
    assert len({t.marker.symbol for t in figure.data if "sampled" not in t.name}) == 3


def test_agreement_is_written_as_well_as_shaded():
    figure = maps.agreement(LIVE, 0, palette.LIGHT)
    assert list(figure.data[0].text) == ["1.00", "0.50", "-0.20", "0.40"]
    unknown = LIVE._replace(agreement=np.full(4, np.nan))
    assert set(maps.agreement(unknown, 0, palette.LIGHT).data[0].text) == {"–"}
    assert "no order" in text.agreement(unknown)
    assert "row 2, column 1 (-0.20)" in text.agreement(LIVE)


def test_error_curves_are_percent_with_one_thin_line_a_comb():
    figure = charts.errors(LIVE, LOOSE, palette.LIGHT)
    thick = {t.name: list(t.y) for t in figure.data if t.mode == "lines+markers"}
    assert thick["sum of all combs (ensemble)"] == pytest.approx([30, 10, 0])
    assert thick["loopy belief propagation"] == pytest.approx([45, 15, 0])
    assert sum(t.mode == "lines" for t in figure.data) == 4


def test_strength_is_swept_and_the_first_failure_named():
    tables = [np.array([[a, 0.0], [b, 0.0]]) for a, b in ((0.2, 0.2), (0.1, 0.3), (0.4, 0.4), (0.1, 0.1))]
    sweep = StrengthSweep(np.array([1.0, 9.0]), *tables, np.array([1.0, 0.5]))
    figure = charts.strengths(sweep, 1, 9.0, palette.LIGHT)
    assert [list(t.y) for t in figure.data[:2]] == [pytest.approx([20, 20]), pytest.approx([10, 30])]
    assert list(figure.data[4].y) == [100, 50]
    said = text.strengths(sweep, 1)
    assert "**1 of 2 strengths**, the smallest ω = 9" in said
    assert "From ω = 9 on" in said
    calm = sweep._replace(lbp=tables[0], settled=np.ones(2))
    assert "no worse at any strength. It settles at every" in text.strengths(calm, 1)


def test_agreement_in_figures():
    rows = {label: value for label, value, *_ in text.agreement_figures(LIVE)}
    assert rows == {
        "Median agreement": "0.45",
        "Lowest": "-0.20",
        "Highest": "1.00",
        "Same order in all": "1",
    }
    none = LIVE._replace(agreement=np.full(4, np.nan))
    assert text.agreement_figures(none)[0][1] == "–"


def test_rankings_mark_the_first_of_each_panel():
    figure = charts.rankings(LIVE, LOOSE, 0, 0, palette.LIGHT)
    assert len(figure.data) == 4
    assert all(list(t.text).count("①") == 1 for t in figure.data)
    flat = LIVE._replace(combs=np.ones_like(COMBS), summed=np.ones((4, 3)))
    assert np.isfinite(charts.rankings(flat, LOOSE, 0, 0, palette.LIGHT).data[0].y).all()


@pytest.mark.parametrize("beliefs", [LOOSE, SETTLED])
def test_messages_over_iterations(beliefs):
    figure = charts.messages(beliefs, 0, palette.DARK)
    assert [len(t.x) for t in figure.data] == [8, 8, 8, 7, 7]
    assert min(figure.data[3].y) > 0
    said = text.oscillation(beliefs, LIVE, 0)
    assert (
        ("settled**" in said and "changed" not in said) if beliefs is SETTLED else "changed 3 times" in said
    )


def test_the_verdict_names_who_is_better():
    assert "combs together beat" in text.compare_ranks(LIVE, LOOSE, 2)
    assert "had not settled at 4 of 4" in text.compare_ranks(LIVE, LOOSE, 2)
    better = LOOSE._replace(error=ERRORS / 3)
    assert "Belief propagation ranks better here" in text.compare_ranks(LIVE, better, 1)
    assert "A draw" in text.compare_ranks(LIVE, LOOSE._replace(error=ERRORS), 1)
    assert "nothing can be lost" in text.compare_ranks(LIVE, LOOSE, 3)


def test_rescued_variables_are_reported():
    assert "**1 variables had lost them all**" in text.pruning(LIVE, PRUNED)
    none = PRUNED._replace(is_rescued=np.zeros(4, bool))
    assert "lost them all" not in text.pruning(LIVE, none)


@pytest.mark.parametrize("holds", [True, False])
def test_the_figure_of_the_thesis_with_error_bars(holds):
    rows = [
        {"method": m, "k": k, "error": 0.5 / k, "stderr": 0.01}
        for m in ("ensemble", "lbp", "tree")
        for k in (2, 1)
    ]
    settings = {"n_instances": 3, "rows": 3, "columns": 3, "n_states": 2, "n_samples": 5, "quick": True}
    result = {"rows": rows, "settings": settings, "order_holds": {"all": holds, "broken_at_k": [1]}}
    figure = charts.thesis(result, palette.LIGHT)
    assert [list(t.y) for t in figure.data] == [[50, 25]] * 3
    assert [list(t.error_y.array) for t in figure.data] == [[1, 1]] * 3
    assert ("**holds**" in text.thesis(result)) == holds
