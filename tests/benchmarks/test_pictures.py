"""README's pictures: they exist, are small enough, and show today's pages."""

import json

import pytest

from benchmarks.app import pictures
from spcviz.shared.folders import ROOT

README = (ROOT / "README.md").read_text(encoding="utf-8")


def test_no_picture_is_older_than_its_page():
    assert pictures.stale() == [], "take them anew: python -m benchmarks.app.pictures"


def test_readme_shows_every_picture_and_the_moving_one_moves():
    from PIL import Image

    for picture in pictures.PICTURES:
        path = pictures.FOLDER / picture.file
        assert f"(cache/pictures/{picture.file})" in README
        assert path.stat().st_size <= pictures.MOST
        with Image.open(path) as image:
            assert (getattr(image, "n_frames", 1) >= 5) == (picture.file == pictures.LOOP)
            corner = image.convert("RGB").getpixel((image.width - 2, image.height - 2))
        assert min(corner) > 200, "dark"


@pytest.mark.parametrize("picture", pictures.PICTURES, ids=lambda picture: picture.file)
def test_a_picture_is_stale_when_what_draws_it_has_changed(picture, tmp_path, monkeypatch):
    for name in picture.drawn_by:
        assert (ROOT / name).exists(), name
    folder = tmp_path / "pictures"
    folder.mkdir()
    for one in pictures.PICTURES:
        (folder / one.file).write_bytes(b"x")
    digests = {one.file: pictures.digest(one) for one in pictures.PICTURES}
    (folder / pictures.MANIFEST).write_text(json.dumps(digests))
    assert pictures.stale(folder) == []
    (tmp_path / "page.py").write_text("changed")
    other = picture._replace(drawn_by=(*picture.drawn_by, str(tmp_path / "page.py")))
    monkeypatch.setattr(pictures, "PICTURES", (other,))
    assert pictures.stale(folder) == [picture.file]
    assert pictures.stale(tmp_path) == [picture.file]


def test_comments_make_no_picture_stale(tmp_path):
    python, script = tmp_path / "page.py", tmp_path / "view.js"
    python.write_text('"""A page."""\nx = 1  # one\n')
    script.write_text("// A view.\nlet x = 1;\n")
    picture = pictures.PICTURES[0]._replace(drawn_by=(str(python), str(script)))
    before = pictures.digest(picture)
    python.write_text('"""Another text."""\nx = 1\n')
    script.write_text("// Another.\n  // And one more.\nlet x = 1;\n")
    assert pictures.digest(picture) == before
    script.write_text("let x = 2;\n")
    assert pictures.digest(picture) != before
    script.write_text("let x = 1;\n")
    python.write_text("x = 2\n")
    assert pictures.digest(picture) != before
