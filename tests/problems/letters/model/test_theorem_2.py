"""Theorem 2 in the chart and the table of the bounds."""

from types import SimpleNamespace

import numpy as np
import pytest

from spcviz.problems.letters.page import sweep
from spcviz.web.figures import palette
from tests.problems.letters.page.test_sweep_shown import BOUND


def terms(times):
    one = BOUND.filter_loss
    complexity = times * one.complexity
    total = one.empirical + complexity + one.confidence
    return one._replace(complexity=complexity, total=total, samples_needed=np.inf)


ENSEMBLE = SimpleNamespace(n_models=22, printed=terms(22), tight=terms(22**0.5))


@pytest.mark.parametrize("look", [palette.LIGHT, palette.DARK])
def test_one_more_mark_on_each_line_and_room_for_it(look):
    figure = sweep.both_bounds(BOUND, ENSEMBLE, look)
    first, *_, added = figure.data
    assert "P = 22" in added.name
    assert list(added.y) == list(first.y)[:4]
    assert list(added.customdata) == [
        ENSEMBLE.printed.total, BOUND.filter_loss.confidence, 22 * BOUND.filter_loss.complexity,
        BOUND.filter_loss.empirical,
    ]  # fmt: skip
    low, high = figure.layout.xaxis.range
    assert (np.log10(np.array(added.x)) > low).all()
    assert (np.log10(np.array(added.x)) < high).all()
    assert figure.layout.shapes[0].x1 >= ENSEMBLE.printed.total


def test_the_table_has_both_theorems():
    said = sweep.beside(BOUND, ENSEMBLE)
    lines = said.splitlines()
    assert len({line.count("|") for line in lines[:5]}) == 1
    assert lines[2].startswith("| Theorem 1")
    assert "P = 22, as printed" in lines[3]
    assert "none is enough" in lines[3]
    assert "√P" in lines[4]
