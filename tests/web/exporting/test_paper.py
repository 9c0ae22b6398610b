"""What goes from pages into papers: charts with data and command, Python that computes what is shown."""

import json
import re
from xml.etree import ElementTree

import pytest

from spcviz import cli
from spcviz.engine.errors import ArgumentError
from spcviz.web.exporting import drawing, paper, snapshot
from spcviz.web.tours import tour

needs_browser = pytest.mark.skipif(drawing.browser() is None, reason="no Chromium is installed")
SVG = "{http://www.w3.org/2000/svg}"


def run(address, capsys):
    """What the Python of an address prints; the file of the picture is not written here."""
    lines = paper.python(address).partition("\nfrom pathlib import Path")[0]
    capsys.readouterr()
    space = {}
    exec(compile(lines, address, "exec"), space)
    return capsys.readouterr().out, space


def facts(address):
    """The page's numbers, as its sentences say them."""
    return snapshot.taken(tour.Scene(address), {"tour": "none"}).facts


def test_the_python_of_letters_keeps_what_the_page_keeps(capsys):
    said, shown = run("letters", capsys)[0], facts("letters")
    assert f"order 1: {shown['kept']} of {shown['candidates']} kept, reads {shown['reading']}\n" in said
    assert said.count("order ") == int(shown["levels"])
    assert f"reads {shown['truth']}\n" in said


def test_the_python_of_tagging_keeps_what_the_page_keeps(capsys):
    said, shown = run("tagging", capsys)[0], facts("tagging")
    line = said.splitlines()[int(shown["level"]) - 1]
    assert line == f"order 1 kept {shown['kept']} of {shown['candidates']} {shown['reading']}"


def test_the_python_of_loopy_grids_errs_where_the_page_errs(capsys):
    said, shown = run("loopy?show=errors&rows=5", capsys)[0], facts("loopy?show=errors&rows=5")
    lost = [line.partition("k: [")[2].split()[int(shown["k"]) - 1].rstrip("]") for line in said.splitlines()]
    assert [f"{100 * float(share):.1f} %" for share in lost] == [shown["combs_lose"], shown["lbp_loses"]]


def test_the_python_of_the_first_grid_is_wrong_at_as_many_cells(capsys):
    said, page = run("loopy", capsys)[0], snapshot.taken(tour.Scene("loopy")).body
    combs, lbp = (int(n) for n in re.findall(r"wrong at (\d+) of 16 cells", said))
    assert f"wrong at {lbp} of 16 cells, all combs together at {combs}." in page


def test_the_python_of_exact_inference_reads_what_the_page_reads(capsys):
    _, space = run("exact_inference", capsys)
    shown = facts("exact_inference")
    assert space["word"] == shown["word"]
    assert f"{space['search'].n_configurations:,}" == shown["search_readings"]
    assert f"{space['best'].score:.1f}" == shown["score"]
    assert space["search"].score == pytest.approx(space["best"].score, abs=1e-9)


def test_the_python_of_sweep_loses_what_the_page_loses(capsys):
    _, space = run("sweep", capsys)
    shown, found = facts("sweep"), space["found"]
    assert f"{found.alpha:.3f}" == shown["alpha"]
    losses = [f"{100 * at.event:.2f} %" for at in (found.dev, found.test)]
    assert losses == [shown["lost_dev"], shown["lost_test"]]
    assert f"{100 * found.test.efficiency:.1f} %" == shown["kept"]


def test_a_page_without_lines_says_so_and_saves_its_picture():
    lines = paper.python("hybrid")
    assert lines.startswith("# The library's own lines for what this page shows are not written yet.")
    assert "Path('hybrid.html').write_text(page.html('hybrid')" in lines


def test_what_is_typed_stays_a_text_of_the_python():
    typed = "a');import os;os.system('x')#"
    lines = paper.python(f"tagging?text={typed.replace(' ', '+').replace(';', '%3B').replace('#', '%23')}")
    compile(lines, "lines", "exec")
    assert f"read_sentence({typed!r})" in lines


@needs_browser
def test_a_chart_for_print_has_its_data_and_its_command():
    root = ElementTree.fromstring(paper.svg("sweep"))
    assert root.find(f"{SVG}metadata/{SVG}command").text == 'python -m spcviz export "sweep" sweep.svg'
    traces = json.loads(root.find(f"{SVG}metadata/{SVG}data").text)
    (chart,) = snapshot.taken(tour.Scene("sweep")).charts
    assert [trace["y"] for trace in traces] == [trace["y"] for trace in chart.spec["data"]]
    assert "holds on test words" in root.find(f"{SVG}title").text
    assert (root.get("width"), root.get("height")) == ("640", "400")


@needs_browser
def test_the_command_writes_a_pdf(tmp_path, capsys):
    path = tmp_path / "sweep.pdf"
    assert cli.main(["export", "sweep", str(path)]) == 0
    assert re.fullmatch(rf"{re.escape(str(path))}: sweep, 0\.\d\d MB\n", capsys.readouterr().out)
    assert path.read_bytes().startswith(b"%PDF-")


def test_a_page_without_a_chart_is_said_to_have_none():
    with pytest.raises(ArgumentError, match=r"hybrid has no chart; save its view as FILE\.html"):
        paper.svg("hybrid")
