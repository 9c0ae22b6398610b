"""The Sweep page's charts and sentences, without a browser."""

import numpy as np
import pytest

from spcviz.problems.letters.page import sweep, sweep_text
from spcviz.problems.letters.shown import (
    BoundTerms,
    LossCurves,
    LossesAt,
    StepCurve,
    SweepBound,
    SweepChoice,
    SweepLevel,
)
from spcviz.web.figures import filter_curves, palette


def curve(*pairs):
    alpha, value = np.array(pairs).T
    return StepCurve(alpha, value)


def losses(split="test", event=0.01, n=600):
    count = round(event * n)
    return LossesAt(split, n, 0.02, event, 0.25, count, (0.002, 0.02), 0.04, 0.03, 281.2, 67.2)


EVENT, DEFINITION = curve((0, 0), (0.3, 0.01), (0.9, 0.5)), curve((0, 0.005), (0.2, 0.02), (0.8, 0.9))
EFFICIENCY = curve((0, 0.5), (0.5, 0.2), (0.9, 0.01))
CURVES = LossCurves("test", 620, 20, DEFINITION, EVENT, EFFICIENCY)
LEVEL = SweepLevel(2, 0.3, 0.005, "event", CURVES._replace(split="dev"), CURVES)
CHOICE = SweepChoice(0.266, 0.005, losses("dev", 0.005), losses())
TERMS = BoundTerms(0.3, 1e5, 0.2, 1e5 + 0.5, True, 8.9e13, 0.01)
BOUND = SweepBound(0.3, 10.0, 0.05, 20.0, 600, 4000, 13, 200.0, 14.0, 2800.0, TERMS, TERMS, 0.06)
STATE = {"by": "event", "alpha": None}
ROWS = [
    {
        "features": "raw",
        "fold": fold,
        "level": level,
        "method": method,
        "split": split,
        "alpha": [0.1, 0.5],
        "filter_loss": [0.5, 5.0],
        "efficiency_loss": [60.0, 20.0],
    }
    for fold in (0, 1)
    for level in (1, 2)
    for method in ("spc", "perceptron", "crf")
    for split in ("dev", "test")
]
TUNED = {
    "alpha": 0.1,
    "dev_filter_loss": 0.4,
    "dev_efficiency_loss": 61.0,
    "test_filter_loss": 0.5,
    "test_efficiency_loss": 60.0,
}
PALETTES = (palette.LIGHT, palette.DARK)


@pytest.mark.parametrize("palette", PALETTES)
def test_steps_stand_where_the_curves_step(palette):
    figure = sweep.loss_curves(LEVEL, CHOICE, palette)
    event = next(t for t in figure.data if t.name == "truth really lost" and "markers" in t.mode)
    assert event.line.shape == "hv"
    np.testing.assert_allclose(event.x, [0, 0.3, 0.9, 1])
    np.testing.assert_allclose(event.y, [0, 1, 50, 50])
    assert event.line.color == palette.lost


def test_the_chosen_alpha_and_the_tolerance_are_marked():
    figure = sweep.loss_curves(LEVEL, CHOICE, palette.LIGHT)
    said = " ".join(note.text for note in figure.layout.annotations)
    assert "α = 0.266" in said
    assert "allowed: 0.5 %" in said
    assert "training's α = 0.300" in said
    assert {(s.x0, s.x1) for s in figure.layout.shapes} >= {(0.266, 0.266), (0.3, 0.3)}
    again = sweep.loss_curves(LEVEL, CHOICE._replace(alpha=0.3), palette.LIGHT)
    assert not any("training" in note.text for note in again.layout.annotations)


def test_dotted_is_development_and_only_test_steps_can_be_clicked():
    drawn = [t for t in sweep.loss_curves(LEVEL, CHOICE, palette.LIGHT).data if t.x[0] is not None]
    assert {(t.line.dash, t.mode) for t in drawn} == {("dot", "lines"), ("solid", "lines+markers")}


@pytest.mark.parametrize("is_zoomed", [True, False])
def test_the_zoomed_axis_holds_the_tolerance_and_the_losses(is_zoomed):
    low, high = sweep.loss_curves(LEVEL, CHOICE, palette.LIGHT, is_zoomed=is_zoomed).layout.yaxis.range
    assert (low, high) == (0, pytest.approx(94.5)) if not is_zoomed else (low == 0 and 2 < high < 10)


def test_letters_grow_on_a_projector():
    assert sweep.loss_curves(LEVEL, CHOICE, palette.LIGHT, scale=1.7).layout.font.size >= 24


@pytest.mark.parametrize("split", ["dev", "test"])
def test_filters_have_a_panel_a_level_and_a_line_a_method(split):
    tuned = {1: [TUNED | {"method": "crf"}, {"method": "spc", "alpha": None}], 2: []}
    figure = filter_curves.filter_curves(ROWS, tuned, palette.DARK, split=split)
    lines = [t for t in figure.data if t.mode == "lines"]
    assert len(lines) == 2 * 2 * 3
    assert sum(bool(t.showlegend) for t in lines) == 3
    assert {t.xaxis for t in lines} == {"x", "x2"}
    (mark,) = [t for t in figure.data if t.mode == "markers"]
    assert (mark.x[0], mark.y[0]) == ((61.0, 0.4) if split == "dev" else (60.0, 0.5))
    shapes = [filter_curves._METHOD_STYLE[m] for m in ("spc", "perceptron", "crf")]
    assert len({s for _, s in shapes}) == 3  # not distinguished by colour alone


def test_one_level_alone_and_an_unknown_method_can_be_drawn():
    rows = [r | {"method": "new"} for r in ROWS if r["level"] == 2 and r["method"] == "spc"]
    assert len(filter_curves.filter_curves(rows, {}, palette.LIGHT).data) == 2


def test_the_bound_shows_every_term_of_both_losses():
    figure = sweep.bound_terms(BOUND, palette.LIGHT)
    for trace in figure.data:
        assert len(trace.y) == 5
        assert trace.x[0] == pytest.approx(sum(trace.x[1:4]))
    assert figure.layout.xaxis.type == "log"


@pytest.mark.parametrize(
    ("choice", "state", "expected"),
    [
        (CHOICE._replace(test=losses(event=0.005)), STATE, "**Kept on test words**"),
        (CHOICE, STATE, "may be chance"),
        (CHOICE._replace(tolerance=0.001), STATE, "**Not kept on test words**"),
        (CHOICE._replace(alpha=-0.2), STATE, "The threshold lies below the mean."),
        (CHOICE._replace(alpha=-0.2), STATE | {"alpha": -0.2}, "may be chance"),
        (CHOICE, STATE | {"by": "definition"}, "**Not kept on test words**"),
    ],
)
def test_the_verdict_follows_the_numbers(choice, state, expected):
    assert expected in sweep_text.verdict(choice, state)


def test_the_verdict_counts_by_the_chosen_loss():
    assert "2.00 %" in sweep_text.verdict(CHOICE, STATE | {"by": "definition"})
    values = [value for _, value, _, _ in sweep_text.figures(LEVEL, CHOICE, STATE | {"by": "definition"})]
    assert values == ["0.266", "2.00 %", "2.00 %", "4.00 %", "25.0 %"]


def test_every_figure_is_explained():
    assert all(meaning for _, _, _, meaning in sweep_text.figures(LEVEL, CHOICE, STATE))


def test_a_bound_over_one_is_called_vacuous_and_says_what_it_would_need():
    said = sweep_text.bound(BOUND)
    assert "Vacuous" in said
    assert r"8.9 \times 10^{13}" in said
    assert "6.00 %" in said
    good = BOUND._replace(filter_loss=TERMS._replace(total=0.5, is_vacuous=False))
    assert "Vacuous" not in sweep_text.bound(good)
    assert "no number of" in sweep_text.bound(
        BOUND._replace(filter_loss=TERMS._replace(samples_needed=float("inf")))
    )


def test_the_table_of_symbols_has_no_broken_rows():
    rows = [row for row in sweep_text.bound_symbols(BOUND, LEVEL).split("\n") if row.startswith("|")]
    assert {row.count("|") for row in rows} == {4}
    assert len(rows) == 2 + 8


def test_the_comparison_names_the_filter_that_prunes_most():
    tuned = {
        1: [TUNED | {"method": "crf"}, {"method": "spc", "alpha": None}],
        2: [TUNED | {"method": "crf"}, TUNED | {"method": "spc", "test_efficiency_loss": 20.0}],
    }
    said = sweep_text.filters(tuned, 0.5)
    assert "at level 1 the CRF filter; at level 2 the cascade filter (SPC)" in said
    assert "no threshold keeps to it" in said
    assert "So prunes most" not in sweep_text.filters({1: [{"method": "spc", "alpha": None}]}, 0.5)


def test_a_missing_result_names_its_command():
    assert "python -m spcviz reproduce ocr-sweep --features hog" in sweep_text.missing("ocr-sweep", "hog")
