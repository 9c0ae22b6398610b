"""The Pose page, driven through app.py."""

import io
from functools import partial

import pytest
from PIL import Image

from spcviz.ui.cached import pose as cached
from tests.app.driver import checked, open_page

PAGE = "pages/cascade/pose.py"

pytestmark = pytest.mark.skipif(
    not cached.HAS_POSE, reason="no pose model stored: python -m spcviz train pose"
)


visit = partial(open_page, PAGE)


def said(at):
    return "\n".join(m.value for m in [*at.markdown, *at.caption])


def test_it_starts_on_a_rendered_clip_and_says_what_it_was_trained_for():
    at = visit()
    assert "Rendered clip 5, frame 1 of 12" in said(at)
    assert "trained on frames of one television series" in said(at)
    assert "this one keeps" in said(at)
    assert len(at.get("plotly_chart")) == 1


@pytest.mark.parametrize("show", ["all", "top", "thesis"])
def test_every_view_has_its_chart_or_says_why_not(show):
    at = visit(show=show, scene="astronaut")
    assert at.get("plotly_chart") or at.info


@pytest.mark.parametrize(
    ("show", "charts", "words"), [("four", 1, "Each model knows"), ("bought", 2, "spent; frames of the two")]
)
def test_arms_under_a_budget(show, charts, words):
    at = visit(show=show, scene="astronaut", spend="0.5")
    assert len(at.get("plotly_chart")) == charts
    assert words in said(at)
    assert "The models of arms were trained on rendered clips" in said(at)
    if show == "bought":
        slider = next(s for s in at.slider if s.label.startswith("Share of the time"))
        at = checked(slider.set_value(1.0).run())
        assert at.query_params["spend"] == "1.0"
        assert "superpixels 0, + optical flow 2" in said(at)


def test_own_alpha_prunes_more_and_is_in_the_address():
    at = visit(scene="astronaut", alpha="0.9", level="0")
    assert "α = 0.90" in said(at)
    at = checked(next(t for t in at.toggle if t.key == "pose_own_alpha").set_value(False).run())
    assert "alpha" not in at.query_params


def test_an_address_with_nonsense_shows_the_start():
    at = visit(level="99", frame="abc", scene="nowhere", alpha="nan", method="psychic", seed="-4")
    assert "Rendered clip 5, frame 1 of 12" in said(at)


def test_an_upload_goes_the_same_way_and_a_broken_one_gets_a_sentence():
    at = visit(scene="upload")
    assert not at.get("plotly_chart")
    file = io.BytesIO()
    Image.new("RGB", (300, 200), "grey").save(file, "PNG")
    uploader = at.get("file_uploader")[0]
    at = checked(uploader.set_value(("me.png", file.getvalue(), "image/png")).run())
    assert at.get("plotly_chart")
    assert "Your upload." in said(at)
    at = checked(at.get("file_uploader")[0].set_value(("me.png", b"broken", "image/png")).run())
    assert "no picture or video" in at.warning[0].value
