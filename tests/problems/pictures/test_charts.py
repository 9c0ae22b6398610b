"""The Joint beats separate page's pictures and sentences, without a browser or a kernel."""

import numpy as np
import pytest

from spcviz.problems.pictures.page import charts
from spcviz.problems.pictures.shown import PictureReadings
from spcviz.web.figures import palette

Z = np.zeros((4, 6), dtype=np.int64)
VIEWS, TRUTH = (np.zeros((4, 6, 3)), np.ones((4, 6, 3))), np.where(np.eye(4, 6) > 0, np.nan, 2.0)
EYES = PictureReadings(
    "cones", VIEWS, TRUTH, (Z, Z + 1, Z + 2),
    (0.5, 0.2, 0.1), (2.0, 1.0, 0.0), (1e-5, 1e-3, 0.5), 1, 5, 0.25, 60, 0.9,
)  # fmt: skip
INK = EYES._replace(name="word", seen=(Z.astype(float),), truth=Z + 0.0, slack=0, n_states=2, settled=1.0)


@pytest.mark.parametrize("palette", [palette.LIGHT, palette.DARK])
@pytest.mark.parametrize(("readings", "count"), [(EYES, 6), (INK, 4)])
def test_each_reading_is_titled_with_its_error(palette, readings, count):
    figure = charts.pictures(readings, palette)
    assert len(figure.data) == len(figure.layout.annotations) == count
    titles = [note.text for note in figure.layout.annotations][-3:]
    assert [t in title for t, title in zip(("50.0 %", "20.0 %", "10.0 %"), titles)] == [True] * 3


def test_mistakes_are_marked_where_the_truth_is_known():
    marked = [t for t in charts.pictures(EYES, palette.LIGHT, mistakes=True).data if t.opacity]
    assert [int(np.nansum(t.z)) for t in marked] == [20, 0, 0]  # off by 2, 1 and 0; 1 is allowed


@pytest.mark.parametrize("shape", [(10, 100), (100, 10), (50, 50), (1, 1)])
@pytest.mark.parametrize("readings", [EYES, INK])
def test_pictures_never_overlap(readings, shape):
    z = np.zeros(shape, dtype=np.int64)
    readings = readings._replace(
        seen=tuple(np.zeros(shape) for _ in readings.seen), truth=z + 0.0, readings=(z, z, z)
    )
    layout = charts.pictures(readings, palette.LIGHT).layout
    boxes = {(tuple(layout[f"xaxis{n}"].domain), tuple(layout[f"yaxis{n}"].domain)) for n in ("", 2, 3, 4)}
    assert len(boxes) == 4
    assert all(0 <= low < high <= 1 for box in boxes for low, high in box)


@pytest.mark.parametrize(
    ("errors", "said"),
    [
        ((0.5, 0.2, 0.1), "Every neighbour that is asked helps"),
        ((0.2, 0.2, 0.1), "Rows alone change nothing"),
        ((0.2, 0.2, 0.2), "No difference here"),
        ((0.5, 0.1, 0.2), "exact rows beat the approximate grid"),
        ((0.1, 0.4, 0.3), "smoothness does harm"),
    ],
)
def test_the_verdict_is_read_off_the_numbers(errors, said):
    assert said in charts.compare_readings(EYES._replace(errors=errors))


def test_what_was_measured_is_said():
    assert "| row by row, exact | 20.0 % | 1.00 | 1 ms |" in charts.table(EYES)
    assert "5 to the power 24 pictures" in charts.origin(EYES)
    assert "settled at 90 % of the pixels" in charts.origin(EYES)
    assert "settled everywhere" in charts.origin(INK)
