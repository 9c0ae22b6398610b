"""Scenes saved as one HTML file: complete, without outside requests; what strangers brought is text."""

import base64
import hashlib
import html as entities
import json
import re

import pytest

from spcviz import cli
from spcviz.engine.errors import ArgumentError
from spcviz.web.exporting import page

SCRIPT = re.compile('<script type="module">(.*?)</script>', re.DOTALL)
OUTSIDE = re.compile(r"""src\s*=\s*["']|<link|@import|url\(\s*["']?(?!data:)""")


@pytest.fixture(scope="module")
def letters():
    return page.html("letters?order=6")


def policy_of(text):
    return entities.unescape(re.search('Content-Security-Policy" content="(.*?)">', text).group(1))


def test_the_policy_names_the_one_script_and_nothing_from_outside(letters):
    (script,) = SCRIPT.findall(letters)
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    policy = policy_of(letters)
    assert f"script-src 'sha256-{digest}';" in policy
    assert "default-src 'none'" in policy
    assert not re.search("https?:|unsafe-eval", policy)
    assert not OUTSIDE.search(SCRIPT.sub("", letters))
    assert len(letters.encode()) < 400_000


def test_the_file_holds_the_pages_own_view_alone(letters):
    (script,) = SCRIPT.findall(letters)
    assert re.findall(r'^KINDS\["(\w+)"\] = ', script, re.MULTILINE) == ["spcviz_lattice"]
    assert 'const PLOTLY = "";' in script
    assert "class LatticeView" in script
    assert "class TourView" not in script
    assert not re.search(r"^(import|export) ", script, re.MULTILINE)
    assert "<code>letters?order=6</code>" in letters


def test_what_is_typed_stays_text():
    typed = "</script><script>alert(1)</script> <img src=x onerror=alert(2)>"
    text = page.html(f"tagging?text={typed.replace(' ', '+')}")
    assert len(re.findall("<script", text)) == len(re.findall("</script", text)) == 1
    assert "<img" not in text


@pytest.mark.parametrize(
    ("address", "message"),
    [
        ("nowhere?x=1", r"address must begin with one of course, .*, got 'nowhere\?x=1'"),
        ("javascript:alert(1)", "address must begin with one of .*, got 'javascript:alert"),
        ("tours", "tours has no picture that can be saved"),
    ],
)
def test_what_cannot_be_saved_is_said(address, message):
    with pytest.raises(ArgumentError, match=message):
        page.html(address)


def test_a_file_that_is_too_large_says_its_size(monkeypatch):
    monkeypatch.setattr(page, "MOST_BYTES", 50_000)
    with pytest.raises(
        ArgumentError,
        match=r"hybrid would take 0\.3 MB, more than 0\.05: its part “\w+” alone is 0\.\d MB; choose",
    ):
        page.html("hybrid")


def test_a_page_of_charts_has_its_charts_and_numbers_and_what_draws_them():
    text = page.html("sweep")
    assert "script-src 'sha256-" in policy_of(text)
    assert " blob:; style-src" in policy_of(text)
    (script,) = SCRIPT.findall(text)
    charts = json.loads(re.search(r"^const CHARTS = (.*);$", script, re.MULTILINE).group(1))
    assert len(charts) == text.count('<figure class="stPlotlyChart"') == 1
    assert all(trace["x"] for trace in charts[0]["spec"]["data"])
    assert charts[0]["alt"]
    assert "Threshold setting α" in text
    assert len(text.encode()) < 3_000_000


@pytest.mark.parametrize(
    ("address", "link"),
    [
        ("letters?order=6", "http://localhost:8501/letters?order=6"),
        ("https://host.example/a/letters?order=6", "https://host.example/a/letters?order=6"),
    ],
)
def test_the_file_links_to_the_scene_in_the_app(address, link):
    assert f'<a href="{link}" rel="noreferrer">' in page.html(address)


def test_the_command_says_what_it_wrote(tmp_path, capsys, monkeypatch, letters):
    monkeypatch.setattr(page, "html", lambda address: letters)
    path = tmp_path / "out.html"
    assert cli.main(["export", "http://localhost:8501/letters?order=6", str(path)]) == 0
    assert capsys.readouterr().out == f"{path}: letters?order=6, {path.stat().st_size / 1e6:.2f} MB\n"
    assert path.read_text(encoding="utf-8") == letters
    assert cli.main(["export", "letters", str(tmp_path / "no" / "out.html")]) == 1
    assert "FILE.html must lie in a folder that is there" in capsys.readouterr().err
