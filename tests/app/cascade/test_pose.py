"""The Pose page, driven through app.py."""

import io
import json
from functools import partial

import pytest
from PIL import Image

from spcviz.problems.arms.page import live as arm_clip
from spcviz.problems.pose.model import stored as models
from spcviz.problems.pose.page import cached, live, shelf, trace
from spcviz.shared.folders import MODELS
from tests.app.driver import check, open_page

PAGE = "pages/cascade/pose.py"

pytestmark = pytest.mark.skipif(
    not cached.HAS_POSE, reason="no pose model stored: python -m spcviz train pose"
)


visit = partial(open_page, PAGE)


def said(at):
    return "\n".join(m.value for m in [*at.markdown, *at.caption])


def pictures(at):
    """The page's own components, without the bars above every page."""
    return [
        component for component in at.get("bidi_component") if component.key not in ("tour_bar", "course_bar")
    ]


def sent(at):
    """The component's message: payload and parts, with arrays as (type, first byte, length)."""
    (picture,) = pictures(at)
    data = picture.proto.bytes
    head, parts = header(data), {}
    for name, digest in head["digests"].items():
        if digest not in head["fresh"]:
            continue  # it was sent before
        _, at_, size = head["fresh"][digest]["$"]
        begin = 4 + int.from_bytes(data[:4], "little") + at_
        parts[name] = header(data[begin : begin + size])
    return head | {"parts": parts, "n_bytes": len(data)}


def header(data):
    """The JSON at the start of a message."""
    return json.loads(data[4 : 4 + int.from_bytes(data[:4], "little")])


def test_it_opens_with_people_signing_from_the_stored_clip(monkeypatch):
    monkeypatch.setattr(cached, "pose_clip", None)  # nothing may be computed
    at = visit()
    assert f"Signing clip “{cached.FIRST}”" in said(at)
    assert "CC BY 4.0" in said(at)
    assert "trained on frames of one television series" in said(at)
    data = sent(at)
    assert data["truth_name"] == "reference"
    assert [len(data["alphas"]), len(data["parts"]["pictures"]["frames"])] == [7, data["n_frames"]]
    assert data["n_bytes"] < 450_000  # the coarsest level of all frames, which the page opens with
    assert [name for name in data["parts"] if name.startswith(("codes", "scores"))] == ["codes 0"]


def test_the_stored_clip_is_of_the_stored_model_and_is_worked_out_anew_without_it():
    stored = cached.first_clip()
    scene = live.sign_scene(shelf.SIGN)
    model = models.load_pose(MODELS)
    fresh, _ = trace.run_levels(model, [live.scores_of(model, scene.images[0])[0]])
    for level, kept in zip(fresh, stored.levels):
        n = kept.n_given[0].sum()
        assert kept.codes[:n].tolist() == level.codes.tolist()
    assert stored.pictures == scene.pictures


def test_alphas_of_the_address_prune_and_deeper_levels_follow():
    data = sent(visit(scene="astronaut", a0="0.9", a2="0.33333"))
    assert data["alphas"][:3:2] == [0.9, 0.333]
    assert data["view"]["alphas"][:3] == [0.9, None, 0.33333]
    assert data["parts"]["truth"]["limbs"] is None


def test_three_sub_models_come_with_the_picture_of_them():
    data = sent(visit(scene="astronaut", show="three"))
    assert len(data["parts"]["scores 3"]["each"]) == 2


def test_the_figure_of_the_thesis_has_its_chart_or_says_why_not():
    at = visit(show="thesis")
    assert at.get("plotly_chart") or at.info


def test_it_says_on_whom_it_works_and_shows_what_fails():
    at = visit(show="people")
    assert "a mean pose that never looks at the picture" in said(at)
    assert at.dataframe[0].value.index[0] == "Buffy, test episodes"
    assert len(at.get("image")) >= 5  # a signing clip for each person ships


def test_arms_under_a_budget_come_with_the_clip_and_stay(monkeypatch):
    at = visit(show="bought", scene="astronaut", spend="0.5")
    data = sent(at)
    arms = data["parts"]["arms"]
    assert [arms["n_frames"], arms["names"][0], data["view"]["spend"]] == [1, "detectors", 0.5]
    assert len(arms["ms"]) > len(arms["four_ms"]) == 3
    assert "The models of arms were trained on rendered clips" in said(at)
    monkeypatch.setattr(arm_clip, "watch", None)  # cached: nothing is recomputed
    at = visit(show="level", scene="astronaut")
    assert "arms" in sent(at)["parts"]
    assert sent(at)["has_arms"]


def test_an_address_with_nonsense_shows_the_start():
    at = visit(level="99", frame="abc", scene="nowhere", a0="nan", method="psychic", seed="-4", cell="9-9",
               sign="no/such")  # fmt: skip
    assert f"Signing clip “{cached.FIRST}”" in said(at)
    assert sent(at)["view"]["level"] == 3


def test_an_upload_goes_the_same_way_and_a_broken_one_gets_a_sentence():
    at = visit(scene="upload")
    assert not pictures(at)
    file = io.BytesIO()
    Image.new("RGB", (300, 200), "grey").save(file, "PNG")
    uploader = at.get("file_uploader")[0]
    at = check(uploader.set_value(("me.png", file.getvalue(), "image/png")).run())
    assert sent(at)["title"] == "Your upload"
    assert "Your upload." in said(at)
    if cached.HAS_FINDER:
        assert "Nobody seems to be in this picture" in at.warning[0].value  # grey all over
        assert "a fixed average window" in said(at)
        assert "x" not in at.query_params  # found by the search, not set
    at = check(at.get("file_uploader")[0].set_value(("me.png", b"broken", "image/png")).run())
    assert "no picture or video" in at.warning[0].value


def test_a_snapshot_goes_the_same_way_and_the_page_says_where_there_is_no_camera():
    at = visit(scene="camera")
    assert "only on localhost or over https" in said(at)
    assert not pictures(at)
    (camera,) = at.get("camera_input")
    assert camera.proto.label == "Stand facing the camera, head to hips"


def test_a_link_to_a_clip_of_the_series_says_that_it_is_not_here_and_stays(monkeypatch):
    monkeypatch.delenv("SPCVIZ_DATA", raising=False)
    at = visit(scene="buffy", clip=1)
    (note,) = at.info
    assert note.value.startswith("This link asks for a clip of Buffy Stickmen")
    assert {"scene", "clip"} <= set(at.query_params)
    assert f"Signing clip “{cached.FIRST}”" in said(at)


def test_a_clip_of_the_series_is_shown_and_the_page_rests(shared_data, tmp_path, monkeypatch):
    place = shelf.place
    monkeypatch.setattr(shelf, "place", lambda *args, **how: place(*args, **how, work=tmp_path))
    at = visit(scene="buffy", clip=1)
    assert len(sent(at)["parts"]["pictures"]["frames"]) == sent(at)["n_frames"]
    assert "Buffy" in said(at)
    assert "clip" in at.query_params


def test_a_clip_is_worked_out_once_and_found_by_who_asks_next(tmp_path, monkeypatch):
    place = shelf.place
    monkeypatch.setattr(shelf, "place", lambda *args, **how: place(*args, **how, work=tmp_path))
    first_time = sent(visit(scene="astronaut"))
    (kept,) = (tmp_path / shelf.FOLDER).glob("*.clip")
    monkeypatch.setattr(cached, "pose_clip", None)  # nothing is recomputed
    again = sent(visit(scene="astronaut"))
    assert again["digests"] == first_time["digests"]
    assert {name: again[name] for name in ("identity", "part", "alphas")} == {
        name: first_time[name] for name in ("identity", "part", "alphas")
    }
    monkeypatch.undo()
    monkeypatch.setattr(shelf, "place", lambda *args, **how: place(*args, **how, work=tmp_path))
    cached._on_shelf.clear()
    kept.write_bytes(b"damaged")
    assert sent(visit(scene="astronaut"))["digests"] == first_time["digests"]
    assert shelf.take(kept) is not None, "and mended"
