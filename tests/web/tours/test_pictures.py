"""Pictures on Tours: small, of one scene each; a scene that plays has a loop that contains the picture."""

import numpy as np
import pytest
from PIL import Image

from benchmarks.app import preview
from spcviz.web.tours import tour
from tests.app.driver import open_page

LOOPS = [name for name in tour.shipped_tours() if tour.loop(name)]
WIDE, HIGH = preview.TOUR_WIDTH, preview.TOUR_WIDTH * preview.TOUR_SIZE[1] // preview.TOUR_SIZE[0]


@pytest.mark.parametrize("name", tour.shipped_tours())
def test_every_tour_has_a_small_picture(name):
    path = tour.picture(name)
    assert path.stat().st_size <= 20_000
    with Image.open(path) as picture:
        assert picture.size == (WIDE, HIGH)


@pytest.mark.parametrize("name", LOOPS)
def test_a_loop_plays_for_some_seconds_and_the_picture_is_one_of_its_moments(name):
    assert tour.loop(name).stat().st_size <= preview.MOST_LOOP
    with Image.open(tour.loop(name)) as loop, Image.open(tour.picture(name)) as still:
        assert loop.size == (WIDE, HIGH)
        assert loop.n_frames > 1
        spans, apart, picture = [], [], np.asarray(still.convert("RGB"), dtype=int)
        for k in range(loop.n_frames):
            loop.seek(k)
            loop.load()
            spans.append(loop.info["duration"])
            apart.append(np.abs(np.asarray(loop.convert("RGB"), dtype=int) - picture).mean())
    assert 4000 <= sum(spans) <= 8000
    assert min(apart) < 6


def test_most_tours_have_a_loop_and_all_together_are_small():
    assert len(LOOPS) >= 8
    assert sum(tour.loop(name).stat().st_size for name in LOOPS) <= 700_000


def test_a_loop_is_fetched_by_who_points_at_its_card_and_wants_what_moves():
    html = " ".join(element.proto.body for element in open_page("pages/start/tours.py").get("html"))
    (style,) = [part for part in html.split("<style>") if "tour_card" in part and "background-image" in part]
    assert style.startswith("@media (prefers-reduced-motion: no-preference) {")
    for name in tour.shipped_tours():
        rule = f".st-key-tour_card_{name}:is(:hover, :focus-within) p:has(> img)::after"
        assert style.count(rule) == (name in LOOPS)
