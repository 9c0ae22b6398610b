"""Figures are checked by plotly here, name by name; pages leave that out."""

import pytest

from spcviz.web.figures import theme


@pytest.fixture(autouse=True)
def checked_figures(monkeypatch):
    monkeypatch.setattr(theme, "IS_CHECKED", True)
