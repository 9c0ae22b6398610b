"""Plotly checks figures here, name by name; pages skip that check."""

import pytest

from spcviz.web.figures import theme


@pytest.fixture(autouse=True)
def checked_figures(monkeypatch):
    monkeypatch.setattr(theme, "IS_CHECKED", True)
