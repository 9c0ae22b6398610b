"""The gallery's wall: pages, pictures and sentences; false sentences are omitted, and text stays text."""

import io

import pytest
from PIL import Image, ImageSequence

from spcviz.web.exporting import drawing, site
from spcviz.web.tours import gallery

TYPED = "</script><img src=x onerror=alert(1)>"


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    first, *_, chart = (
        one for one in gallery.exhibits() if one.name in ("garden-path", "ink-says-otherwise")
    )
    wrong = first._replace(name="not-so", title="Not so", holds="reading == 'no such tags'")
    typed = first._replace(name="typed-in", title=TYPED, say=TYPED)
    with pytest.MonkeyPatch.context() as patch:
        shown = (first, chart, wrong, typed)
        patch.setattr(gallery, "exhibits", lambda: shown)
        yield site.write(tmp_path_factory.mktemp("wall"), {}, names=[], exhibits=shown)


def test_the_wall_has_each_exhibit_with_its_sentence_and_a_link(made):
    text = (made.folder / "gallery.html").read_text("utf-8")
    assert "the tagger finds no verb in it" in text
    assert "neighbours the letters say “quish”" in text
    for name in ("garden-path", "ink-says-otherwise"):
        assert f'href="gallery/{name}.html"' in text
        page = (made.folder / "gallery" / f"{name}.html").read_text("utf-8")
        assert f"../scenes/gallery-{name}-1.js" in page
        assert (made.folder / "scenes" / f"gallery-{name}-1.js").is_file()
    assert "{" not in text
    assert "…" not in text


def test_what_does_not_hold_is_not_on_the_wall_and_told(made):
    assert made.untrue == ["Not so"]
    assert "Not so" not in (made.folder / "gallery.html").read_text("utf-8")
    assert not (made.folder / "gallery" / "not-so.html").exists()


def test_text_stays_text_and_nothing_is_asked_for_outside(made):
    for path in ("gallery.html", "gallery/typed-in.html"):
        text = (made.folder / path).read_text("utf-8")
        assert "<img src=x" not in text
        assert "&lt;img src=x" in text
        assert "default-src &#x27;none&#x27;" in text
        assert "://" not in text.replace("http://localhost", "")


needs_browser = pytest.mark.skipif(
    drawing.browser() is None, reason="pictures are drawn by Chromium or Chrome"
)


@needs_browser
def test_a_scene_that_plays_has_a_loop_and_others_stand(made):
    """A loop moves, is small, and comes with a still for visitors who prefer less motion or stop it."""
    loops = {path: one.loop for path, one in made.wall.items()}
    assert loops["gallery/garden-path.html"] == "gallery/garden-path-loop.webp"
    assert loops["gallery/ink-says-otherwise.html"] == ""
    content = (made.folder / loops["gallery/garden-path.html"]).read_bytes()
    assert len(content) <= 400_000
    film = Image.open(io.BytesIO(content))
    assert film.size == (480, 300)
    last = film.convert("L").crop((0, 280, 480, 300))
    assert last.getextrema()[0] > 200, "below the view is its own ground, and no foot"
    frames = [frame.convert("RGB").tobytes() for frame in ImageSequence.Iterator(film)]
    assert len(set(frames)) > 1
    text = (made.folder / "gallery.html").read_text("utf-8")
    for file, kind in (("gallery/garden-path-loop.webp", "loop"), ("gallery/garden-path.webp", "stands")):
        assert f'<img class="{kind}" src="{file}" alt="" loading="lazy">' in text
    assert '<input type="checkbox" id="still">' in text
    assert "prefers-reduced-motion: no-preference" in (made.folder / "shared/site.css").read_text("utf-8")


@needs_browser
def test_a_loop_that_is_too_large_leaves_the_still(tmp_path, monkeypatch):
    shown = tuple(one for one in gallery.exhibits() if one.name == "garden-path")
    monkeypatch.setattr(site, "_LOOP_BYTES", 1000)
    made = site.write(tmp_path, {}, names=[], exhibits=shown)
    (one,) = made.wall.values()
    assert (one.picture, one.loop) == ("gallery/garden-path.webp", "")
    assert 'class="loop"' not in (tmp_path / "gallery.html").read_text("utf-8")


@needs_browser
def test_each_exhibit_has_a_picture_that_shows_something(made):
    for path, hung in made.wall.items():
        picture = made.folder / hung.picture
        assert picture.is_file(), path
        if picture.suffix == ".webp":
            image = Image.open(io.BytesIO(picture.read_bytes())).convert("L")
            assert image.size == (480, 300)
            assert len(image.getcolors()) > 20
    assert made.wall["gallery/ink-says-otherwise.html"].picture.endswith(".svg")
