"""A site of static files: all scenes present, shared scripts once, sentences with the page's numbers."""

import base64
import gzip
import hashlib
import io
import json
import re
from html import unescape

import pytest
from PIL import Image

from spcviz import cli
from spcviz.engine.errors import ArgumentError
from spcviz.web.exporting import drawing, site
from spcviz.web.tours import tour

TYPED = "</script><script>alert(1)</script><img src=x onerror=alert(2)>"
OWN = tour.Tour(
    "own-1", f"Mine {TYPED}", TYPED,
    (
        tour.Scene("hybrid", f"Look {TYPED}", "Why?", "So.", point="text:<img>"),
        tour.Scene("exact_inference", "Here {nothing} is."),
        tour.Scene("nowhere", "Not here."),
    ),
)  # fmt: skip
KNOWN = tour.shipped_tours()["circles"]._replace(scenes=tour.shipped_tours()["circles"].scenes[:1])


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    folder = tmp_path_factory.mktemp("site")
    tours = {"circles": KNOWN, "own-1": OWN}
    return site.write(folder, tours, names=["letters"], systems="| a |\n|---|\n| b |", app="http://h.example")


def scene_of(made, name):
    text = (made.folder / "scenes" / f"{name}.js").read_text(encoding="utf-8")
    return json.loads(re.fullmatch(r'SPCVIZ\.scene\("\w+", (.*)\);\n', text, re.DOTALL).group(1))


def test_every_scene_is_there_and_what_it_names(made):
    scenes = {path.split("/")[1] for path in made.written if path.startswith("scenes/")}
    assert scenes == {
        "page-letters-1.js",
        "tour-circles-1.js",
        *(f"tour-own-1-{c}.js" for c in ("1", "1a", "2")),
    }
    for name in scenes:
        scene = scene_of(made, name.removesuffix(".js"))
        wanted = [f"shared/{view['kind']}.js" for view in scene["views"]]
        wanted += [f"shared/parts/{one}.js" for view in scene["views"] for one in view["parts"].values()]
        wanted += [chart[theme] for chart in scene["charts"] for theme in ("light", "dark") if theme in chart]
        assert wanted
        assert all((made.folder / path).is_file() for path in wanted)


def test_parts_lie_packed_under_the_digest_of_what_they_hold(made):
    files = list((made.folder / "shared" / "parts").iterdir())
    assert files
    for path in files:
        text = path.read_text(encoding="utf-8")
        digest, packed = re.fullmatch(r'SPCVIZ\.part\("(\w+)", "(.*)"\);\n', text).groups()
        content = gzip.decompress(base64.b64decode(packed))
        assert digest == path.stem == hashlib.blake2b(content, digest_size=8).hexdigest()


def test_the_question_comes_before_its_answer(made):
    first, second = scene_of(made, "tour-own-1-1"), scene_of(made, "tour-own-1-1a")
    assert (first["isAsking"], first["answer"], second["isAsking"], second["answer"]) == (
        True,
        "",
        False,
        "So.",
    )
    assert first["views"] == second["views"]  # the same parts, stored once
    assert first["link"] == "http://h.example/hybrid"


def test_sentences_have_the_numbers_of_their_page(made):
    say = scene_of(made, "tour-circles-1")["say"]
    assert "…" not in say
    assert "{" not in say
    assert re.search(r"\d", say)
    assert scene_of(made, "tour-own-1-2")["say"] == "Here … is."


def test_what_a_tour_brought_is_text(made):
    for path in made.written:
        if not path.endswith(".svg"):
            text = (made.folder / path).read_text(encoding="utf-8")
            assert "<script>alert" not in text, path
            assert "<img src=x" not in text, path
    assert scene_of(made, "tour-own-1-1")["say"].startswith("Look </script><script>")


def test_pages_ask_for_nothing_from_outside(made):
    for path in (path for path in made.written if path.endswith(".html")):
        text = (made.folder / path).read_text(encoding="utf-8")
        assert "default-src 'none'; script-src 'self' file:;" in unescape(text)
        sources = re.findall(r'(?:src|srcset|<link[^>]*href)="([^"]*)"', text)
        sources = [source for source in sources if not source.startswith("data:image/webp;base64,")]
        assert sources
        assert all(((made.folder / path).parent / source).is_file() for source in sources), path


def test_a_page_shows_its_texts_and_a_still_of_its_view_before_any_script(made):
    text = (made.folder / "letters.html").read_text(encoding="utf-8")
    opening = text[text.index('<main class="scene">') : text.index("</main>")]
    assert "Drag the threshold" in opening
    (content,) = re.findall(r'<section data-view="0"><img class="still" [^>]*base64,([^"]*)"', opening)
    with Image.open(io.BytesIO(base64.b64decode(content))) as still:
        assert still.width == 528
        assert len(still.convert("L").getcolors()) > 50
    assert text.index("</main>") < text.index("<script defer")


def test_what_is_to_be_guessed_is_in_no_file_of_its_scene(made):
    written = site.Site(made.folder, "")
    (part,) = site.parts_of([], {"arms": tour.shipped_tours()["arms"]})
    number = next(i for i, (_, bar) in enumerate(part.scenes) if bar["isAsking"])
    written.scene(part, part.codes[number], *part.scenes[number])
    text = (made.folder / f"scenes/tour-arms-{part.codes[number]}.js").read_text(encoding="utf-8")
    assert "until you have guessed" in text
    assert not written.opening["tour-arms"].count("196")


def test_a_mark_that_stands_at_many_points_is_drawn_once():
    (svg,) = drawing.svgs([{"data": [{"y": list(range(200)), "mode": "markers"}], "layout": {}}])
    once = drawing.with_marks_once(svg)
    assert once.count("<use ") == svg.count('class="point"') == 200
    assert once.count("<path id=") == 1
    assert len(once) < 0.5 * len(svg)


def test_without_a_browser_plotly_comes_along(tmp_path, monkeypatch):
    monkeypatch.setattr(drawing, "browser", lambda: None)
    made = site.write(tmp_path, {}, names=["sweep"])
    (chart,) = scene_of(made, "page-sweep-1")["charts"]
    assert f"shared/charts/{chart['name']}.js" in made.written
    assert "shared/plotly.js" in made.written
    with pytest.raises(ArgumentError, match="charts are drawn by Chromium or Chrome, and none is installed"):
        drawing.svgs([{"data": [], "layout": {}}])


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--only", "nowhere"], "--only must name tours of cascade, why, .*, got 'nowhere'"),
        (["--app", "javascript:alert(1)"], "--app must begin with http:// or https://, got 'javascript:"),
        (["--tour", "README.md"], "This is not a tour: the file is no JSON"),
    ],
)
def test_what_cannot_be_written_is_said(tmp_path, capsys, options, message):
    assert cli.main(["site", str(tmp_path / "out"), *options]) == 1
    assert re.search(message, capsys.readouterr().err)
    assert not (tmp_path / "out").exists()


def test_the_command_says_what_it_wrote_and_what_it_left_out(tmp_path, capsys, monkeypatch):
    names = site.navigation.headings()
    monkeypatch.setattr(site.navigation, "headings", lambda: {name: names[name] for name in ("hybrid",)})
    monkeypatch.setattr(drawing, "browser", lambda: None)

    def without(folder):
        raise ModuleNotFoundError("No module named 'pdoc'", name="pdoc")

    monkeypatch.setattr("spcviz.commands.docs.write", without)
    assert cli.main(["site", str(tmp_path), "--only"]) == 0
    out = capsys.readouterr().out
    assert re.match(
        rf"{re.escape(str(tmp_path / 'index.html'))}: 0 tours, 1 scenes, \d+\.\d MB; 0 pages", out
    )
    assert "left out: the library's documentation: pdoc is not installed" in out
    assert "left out: charts drawn ahead: no Chromium or Chrome is installed" in out
    assert "words right rise with the order" in (tmp_path / "index.html").read_text(encoding="utf-8")
