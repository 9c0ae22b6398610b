"""A figure that plotly has not checked is the one that it has."""

import json

import numpy as np
from plotly.io import to_json

from spcviz.figures.common import theme
from spcviz.figures.common.palette import LIGHT


def test_what_is_not_checked_is_the_same(monkeypatch):
    traces = [
        {"type": "scatter", "x": np.arange(3.0), "y": (1, 2), "marker": {"color": ["red"] * 3}, "text": "é"},
        {"type": "heatmap", "z": np.eye(2), "xaxis": "x2", "yaxis": "y2", "showscale": False},
    ]
    axes = {"xaxis": {"title": "a"}, "yaxis2": {"range": [0, 1], "title": "b"}}
    more = {"notes": [{"text": "n", "x": 1, "y": 1}], "shapes": [theme.line("red", 1, x=0)]}
    drawn = []
    for is_checked in (True, False):
        monkeypatch.setattr(theme, "IS_CHECKED", is_checked)
        drawn.append(json.loads(to_json(theme.figure(traces, axes, LIGHT, **more))))
    assert drawn[0] == drawn[1]
