"""A figure that plotly has not checked equals the checked one."""

import base64
import json

import numpy as np
import pytest
from plotly.io import to_json

from spcviz.web.figures import theme
from spcviz.web.figures.palette import LIGHT


def test_what_is_not_checked_is_the_same(monkeypatch):
    traces = [
        {"type": "scatter", "x": np.arange(3.0), "y": (1, 2), "marker": {"color": ["red"] * 3}, "text": "é"},
        {"type": "heatmap", "z": np.eye(2), "xaxis": "x2", "yaxis": "y2", "showscale": False},
        *({"type": "heatmap", "z": np.eye(2, 3, dtype=kind).T} for kind in (np.uint8, np.float32, np.int64)),
    ]
    axes = {"xaxis": {"title": "a"}, "yaxis2": {"range": [0, 1], "title": "b"}}
    more = {"notes": [{"text": "n", "x": 1, "y": 1}], "shapes": [theme.line("red", 1, x=0)]}
    drawn = []
    for is_checked in (True, False):
        monkeypatch.setattr(theme, "IS_CHECKED", is_checked)
        drawn.append(json.loads(to_json(theme.figure(traces, axes, LIGHT, **more)), object_hook=_unpacked))
    assert drawn[0] == drawn[1]
    assert drawn[1]["layout"]["template"]["layout"]


def _unpacked(value):
    """Unpack arrays that plotly has packed, into lists of numbers."""
    if "bdata" not in value:
        return value
    array = np.frombuffer(base64.b64decode(value["bdata"]), value["dtype"])
    return array.reshape([int(n) for n in value.get("shape", str(len(array))).split(",")]).tolist()


def test_a_part_that_plotly_does_not_know_is_refused(monkeypatch):
    monkeypatch.setattr(theme, "IS_CHECKED", True)
    with pytest.raises(ValueError, match="colour"):
        theme.figure([{"type": "scatter", "colour": "red"}], {}, LIGHT)


def test_the_parts_are_those_of_plotlys_figure():
    chart = theme.figure([{"type": "scatter", "x": [1, 2], "name": "a"}], {"xaxis": {"title": "t"}}, LIGHT)
    assert chart.data[0].name == "a"
    assert chart.layout.xaxis.title.text == "t"
