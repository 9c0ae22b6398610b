"""Exports for papers: charts with data and command, Python that computes what is shown."""

import json
import re
from xml.etree import ElementTree

import numpy as np
import pytest

from spcviz import cli
from spcviz.engine.errors import ArgumentError
from spcviz.problems.budgets import task
from spcviz.problems.scene.page import cached as labelling
from spcviz.shared.folders import APP
from spcviz.web.exporting import drawing, paper, snapshot
from spcviz.web.tours import tour
from spcviz.web.ui import navigation

needs_browser = pytest.mark.skipif(drawing.browser() is None, reason="no Chromium is installed")
SVG = "{http://www.w3.org/2000/svg}"


def run(address, capsys):
    """Run the Python of an address without writing the picture's file: (output, namespace)."""
    lines = paper.python(address).partition("\nfrom pathlib import Path")[0]
    capsys.readouterr()
    space = {}
    exec(compile(lines, address, "exec"), space)
    return capsys.readouterr().out, space


def facts(address):
    """The page's numbers, as its sentences say them."""
    return snapshot.take_snapshot(tour.Scene(address), {"tour": "none"}).facts


def test_the_python_of_letters_keeps_what_the_page_keeps(capsys):
    said, shown = run("letters", capsys)[0], facts("letters")
    assert f"order {shown['level']}: {shown['kept']} of {shown['candidates']} kept, reads " in said
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
    said, page = run("loopy", capsys)[0], snapshot.take_snapshot(tour.Scene("loopy")).body
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
    shown, choice = facts("sweep"), space["choice"]
    assert f"{choice.alpha:.3f}" == shown["alpha"]
    losses = [f"{100 * at.event:.2f} %" for at in (choice.dev, choice.test)]
    assert losses == [shown["lost_dev"], shown["lost_test"]]
    assert f"{100 * choice.test.efficiency:.1f} %" == shown["kept"]


def test_the_python_of_write_keeps_what_the_page_keeps(capsys):
    said, shown = run("write", capsys)[0], facts("write")
    line = f"order 1: {shown['kept']} of {shown['candidates']} kept, reads {shown['reading']}"
    assert said.splitlines()[0] == line
    assert said.count("order ") == int(shown["levels"])


def test_the_python_of_home_reads_what_the_page_reads(capsys):
    said, body = run("", capsys)[0], snapshot.take_snapshot(tour.Scene("")).body
    read = re.findall(r"(?:letter by letter|left): ([a-z]+)", said)
    assert f"reads this word letter by letter reads <strong>{read[0]}</strong>" in body
    assert len(read) > 1


def test_the_python_of_orders_and_features_acts_as_the_page(capsys):
    said, shown = run("hybrid", capsys)[0], facts("hybrid")
    lines = said.splitlines()
    assert len(lines) == int(shown["steps"]) + 1
    ends = f"at letter {shown['letter']} reads {shown['reading']} for {shown['truth']} in {shown['us']}"
    assert lines[int(shown["step"])].endswith(ends)


def test_the_python_of_parsing_finds_the_heads_of_the_page(capsys):
    said, shown = run("parsing", capsys)[0], facts("parsing")
    (line,) = [line for line in said.splitlines() if line.startswith(f"{shown['policy']} after")]
    assert line.startswith(f"{shown['policy']} after {shown['bought']} words: [")
    assert line.endswith(f"] {shown['right']} right")


@pytest.mark.parametrize("address", ["policy", "policy?vocabulary=ocr&q=0.5&spend=0.4"])
def test_the_python_of_policy_buys_what_the_page_buys(address, capsys):
    said, shown = run(address, capsys)[0], facts(address)
    assert said.startswith(f"from pixels {shown['start']} for {shown['word']}\n")
    names = [name.removeprefix("reading_") for name in shown if name.startswith("reading_")]
    for name, line in zip(names, said.splitlines()[1:], strict=True):
        spent, messages = shown[f"spent_{name}"], shown[f"messages_{name}"]
        assert line.endswith(f"reads {shown[f'reading_{name}']} after {spent} and {messages} messages")


@pytest.mark.parametrize("task", task.trade_tasks())
def test_the_python_of_the_trade_off_leaves_wrong_what_the_page_leaves(task, capsys):
    address = f"trade_off?task={task}"
    said, shown = run(address, capsys)[0], facts(address)
    wrong = [number for name, number in shown.items() if name.startswith("wrong_")]
    assert re.findall(rf": (\d+) of {shown['things']} wrong\n", said) == wrong


@pytest.mark.parametrize("address", ["scene", "scene?kind=rendered&seed=7"])
def test_the_python_of_scenes_labels_as_the_page_does(address, capsys):
    _, space = run(address, capsys)
    state = {"scene": ("road", 0)}.get(address, ("rendered", 7))
    stored = labelling.label_picture(*state)
    for name in ("sim", "him"):
        (found,) = (one for one in space["predictors"] if one.name == name)
        labels = [step.labels for step in found.steps]
        np.testing.assert_array_equal(labels, getattr(stored, name).labels)
    assert facts(address)["steps"] == str(len(space["predictors"][0].steps))


@pytest.mark.parametrize("address", ["joint_beats_separate", "joint_beats_separate?show=clean&noise=0.3"])
def test_the_python_of_three_readings_errs_as_the_page_does(address, capsys):
    said, shown = run(address, capsys)[0], facts(address)
    assert re.findall(r": (\S+ %) wrong", said) == [shown[name] for name in ("one", "rows", "grid")]


@pytest.mark.parametrize("address", ["pose", "pose?scene=astronaut&method=torso&a0=0.3"])
def test_the_python_of_pose_keeps_the_limbs_of_the_page(address, capsys):
    said, shown = run(address, capsys)[0], facts(address)
    given = re.findall(r"level \d (\d+) x (\d+) cells: (\S+) limbs", said)[int(shown["level"])]
    assert given == (*shown["grid"].split(" × "), shown["given"])


def test_the_python_of_tables_counts_the_statements_of_the_page(capsys):
    counted = run("tables", capsys)[0].splitlines()[0]
    assert f"statements: {counted}.</strong>" in snapshot.take_snapshot(tour.Scene("tables")).body


def test_the_python_of_one_table_reads_its_statements(capsys):
    _, *lines = run("tables?table=grid", capsys)[0].splitlines()
    body = snapshot.take_snapshot(tour.Scene("tables?table=grid")).body
    assert len(lines) == 3
    assert all(line.split(" | ")[1] in body for line in lines)


def test_every_page_with_a_picture_has_its_lines():
    """Read off the sources, since most lines were run above: the pages that offer none."""
    sources = {name: (APP / path).read_text(encoding="utf-8") for name, path in navigation.names().items()}
    without = {name for name, source in sources.items() if "offer_python" not in source}
    left = without - {"course", "data", "tours"}
    assert not left, f"call touring.offer_python, in its file below pages, on: {left}"
    assert without == {"course", "data", "tours"}


def test_a_page_without_lines_says_so_and_saves_its_picture():
    lines = paper.python("data")
    assert lines.startswith(
        "# No lines compute this: it is stored, or its data stay with whoever brought them."
    )
    assert "Path('data.html').write_text(scenes.page('data')" in lines


def test_what_is_typed_stays_a_text_of_the_python():
    typed = "a');import os;os.system('x')#"
    lines = paper.python(f"tagging?text={typed.replace(' ', '+').replace(';', '%3B').replace('#', '%23')}")
    compile(lines, "lines", "exec")
    assert f"scenes.tagging({typed!r}," in lines


@needs_browser
def test_a_chart_for_print_has_its_data_and_its_command():
    root = ElementTree.fromstring(paper.svg("sweep"))
    assert root.find(f"{SVG}metadata/{SVG}command").text == 'python -m spcviz export "sweep" sweep.svg'
    traces = json.loads(root.find(f"{SVG}metadata/{SVG}data").text)
    (chart,) = snapshot.take_snapshot(tour.Scene("sweep")).charts
    assert [trace["y"] for trace in traces] == [trace["y"] for trace in chart.spec["data"]]
    assert "Kept on test words" in root.find(f"{SVG}title").text
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
