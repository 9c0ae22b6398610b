"""Views in notebooks: the numbers of the library, in a frame that cannot leave its cell."""

import base64
import io
import re
from html import unescape

import numpy as np
import plotly.graph_objects as go
import pytest
from PIL import Image

import spcviz as sp
from spcviz.engine.errors import ArgumentError
from spcviz.web.exporting import notebook, stills
from spcviz.web.figures.palette import LIGHT

HOSTILE = "</script><img src=x onerror=alert(1)>"
PNG = "data:image/png;base64,"


def pixels(png):
    return np.asarray(Image.open(io.BytesIO(png)).convert("RGB"))


@pytest.fixture(scope="module")
def tagger():
    rng = np.random.default_rng(0)
    y = [list(rng.choice(["a", "b", HOSTILE], size=6)) for _ in range(60)]
    X = [[{"is": label, "n": str(rng.integers(3))} for label in labels] for labels in y]
    return sp.CascadeTagger(order=3).fit(X, y), X[0]


def test_a_tagger_is_shown_with_what_it_predicts(tagger):
    model, x = tagger
    shown = model.show(x)
    best = " ".join(model.predict([x])[0])
    assert f"Best labels: {best}" in unescape(shown.html)
    levels = model.levels_of(x)
    assert [int(level.lattice.order[0]) for level in levels] == [2, 3]
    left = model.filter([x]).states[0]
    assert levels[-1].lattice.n_arcs > 0
    assert left.shape == (len(x), 3)


def test_the_frame_runs_its_own_script_and_nothing_else(tagger):
    model, x = tagger
    text = model.show(x, [HOSTILE] * len(x))._repr_html_()
    assert re.match(r'<iframe srcdoc="[^"]*" sandbox="allow-scripts allow-downloads" title="spcviz" ', text)
    assert "allow-same-origin" not in text
    document = unescape(re.match(r'<iframe srcdoc="([^"]*)"', text).group(1))
    assert len(re.findall("<script", document)) == len(re.findall("</script", document)) == 1
    (picture,) = re.findall("<img[^>]*", document)  # for viewers that run no script
    assert re.fullmatch(f'<img src="{PNG}[^"]*" alt="[^"<]*"', picture)


def test_a_picture_says_which_labels_are_left():
    scores = np.array([[-9.0, 8.0, 9.0], [9.0, -9.0, -9.0], [-np.inf, 0.0, 9.0]])
    shown = sp.from_emissions([scores], labels=["a", "b", "c"]).prune(-2.0).show(["x", "y", "z"])
    picture = pixels(shown._repr_png_())
    assert PNG + base64.b64encode(shown.png).decode() in shown.html.partition("<noscript>")[2]
    rows, columns = (
        8 + 22 * np.arange(1, 4) + 9,
        picture.shape[1] - 8 - 44 * np.arange(3, 0, -1) + 20,
    )
    white, light, dark = 255, 168, 80  # absent, pruned, kept
    grey = picture[rows][:, columns, 0].tolist()
    assert grey == [[light, dark, white], [dark, light, dark], [dark, light, dark]]


@pytest.mark.parametrize("kind", [sp.StructuredPerceptron, sp.ChainCRF])
def test_first_order_taggers_are_shown_with_what_they_predict(tagger, kind):
    _, x = tagger
    model = kind().fit([x] * 3, [[str(k % 2) for k in range(len(x))]] * 3)
    best = " ".join(model.predict([x])[0])
    for shown in (model.show(x), sp.show(model, x)):
        assert f"Best labels: {best}" in unescape(shown.html)


def test_lattices_and_curves_are_shown():
    lattices = sp.from_emissions([np.random.default_rng(0).normal(size=(5, 3))], labels=list("abc"))
    best = " ".join(lattices.prune(0.3).decode()[0])
    assert f"Best labels: {best}" in lattices.prune(0.3).show().html
    curves = lattices.curves([list("abcab")])
    figure = curves.show()
    assert [trace.name for trace in figure.data] == ["filter loss", "pruned", "efficiency loss"]
    np.testing.assert_array_equal(figure.data[2].y, curves.efficiency_loss.value)


def test_curves_have_a_picture_for_where_no_script_runs():
    lattices = sp.from_emissions([np.random.default_rng(0).normal(size=(5, 3))], labels=list("abc"))
    bundle = lattices.curves([list("abcab")]).show()._repr_mimebundle_()
    picture = pixels(base64.b64decode(bundle["image/png"]))
    for color in (LIGHT.accent, LIGHT.pruned, LIGHT.truth):  # one for each line
        rgb = [int(color[k : k + 2], 16) for k in (1, 3, 5)]
        assert (picture == rgb).all(axis=2).sum() > 50
    steps = go.Figure().add_scatter(x=[0, 1, 2], y=[0.0, np.nan, 1.0], line_shape="hv", name="a")
    drawn = (pixels(stills.curves(steps.update_layout(xaxis_title="x"))) == [47, 47, 188]).all(axis=2)
    assert drawn[320, 70:650].sum() > 300  # stays low until the step


def test_a_course_has_a_picture_with_its_purchases():
    lifts = np.array([[0, 0], [1, 0], [1, 2]])
    picture = pixels(stills.course(lifts, ["0", "1", "3"], ["go", "on"], [["a", "b"]] * 3))
    grey = [picture[8 + 22 * row + 17, 8 + 8 + 8 + 44 * k + 36].tolist() for row in (1, 2, 3) for k in (0, 1)]
    assert [one[0] for one in grey] == [255, 255, 168, 255, 168, 80]


def test_what_cannot_be_shown_is_said(tagger):
    model, x = tagger
    with pytest.raises(ArgumentError, match="x must be one sequence that the tagger reads, got None"):
        notebook.show(model)
    with pytest.raises(ArgumentError, match="words must name 6 positions, got 1"):
        model.show(x, ["one"])
    with pytest.raises(
        ArgumentError, match="a tagger, Sequences, Lattices, Curves, BudgetCurve or a verdict, got int"
    ):
        sp.show(3)
    two = sp.from_emissions([np.zeros((2, 3)), np.zeros((2, 3))]).prune(0.0)
    with pytest.raises(ArgumentError, match="thing must be lattices of one sequence to be shown, got 2"):
        two.show()
