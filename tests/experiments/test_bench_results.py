"""The benchmarks page matches the stored results: every rival, machine and command, and no verdict."""

import json
import re
import shutil

import pytest

from experiments import bench_results, report
from spcviz.shared import result_files
from spcviz.shared.folders import RESULTS, ROOT
from spcviz.web.figures.stored_results import command_of

PAGE = ROOT / "docs" / bench_results.FILE
NAMES = tuple(bench_results._SECTIONS)


@pytest.fixture
def results(tmp_path):
    """A copy of the stored benchmarks that a test may change."""
    for name in NAMES:
        shutil.copy(RESULTS / f"bench-{name}.json", tmp_path)
    return tmp_path


def changed(results, name, change):
    path = results / f"bench-{name}.json"
    result = json.loads(path.read_text(encoding="utf-8"))
    change(result)
    path.write_text(json.dumps(result), encoding="utf-8")
    return bench_results.text(results)


def section(text, name):
    """The lines below the heading of a benchmark."""
    return text.partition(f"\n## {bench_results._SECTIONS[name][0]}\n")[2].partition("\n## ")[0]


def test_the_page_on_disk_is_that_of_the_results_and_the_report_writes_it():
    text = bench_results.text()
    assert text == PAGE.read_text(encoding="utf-8"), "run: python -m spcviz report"
    assert report.files()[report.CLASS.with_name(bench_results.FILE)] == text


def test_it_is_linked_from_the_commands_and_its_links_lead_somewhere():
    assert f"]({bench_results.FILE})" in (PAGE.parent / "commands.md").read_text(encoding="utf-8")
    for link in re.findall(r"\]\(([^):]+)\)", PAGE.read_text(encoding="utf-8")):
        assert (PAGE.parent / link).is_file(), link


@pytest.mark.parametrize("name", NAMES)
def test_every_row_contender_machine_and_command_is_there(name):
    result = result_files.read(RESULTS, f"bench-{name}")
    part = section(bench_results.text(), name)
    assert f"`{command_of(result)} --json`" in part
    assert result["machine"]["cpu"] in part
    for run in result["provenance"]:
        assert run["date"] in part
    for row in result["rows"]:
        for field in ("operation", "what", "data", "contender", "processor"):
            if field in row:
                assert row[field] in part, row


def test_a_table_has_as_many_cells_in_each_line():
    for block in re.findall(r"(?:^\|.*\n)+", bench_results.text(), re.MULTILINE):
        assert len({line.count("|") for line in block.splitlines()}) == 1, block


def test_a_changed_figure_makes_the_page_stale(results):
    before = bench_results.text(results)
    assert before == PAGE.read_text(encoding="utf-8")

    def slower(result):
        result["rows"][0]["us"] *= 3

    assert changed(results, "engine", slower) != before


def test_a_spread_is_shown_where_it_is_stored_and_said_to_be_missing_where_not(results):
    assert bench_results._NO_SPREAD in section(bench_results.text(results), "engine")

    def spread(result):
        for row in result["rows"]:
            row["us_quartiles"] = [0.5 * row["us"], 2 * row["us"]]

    first = result_files.read(results, "bench-engine")["rows"][0]["us"]
    part = section(changed(results, "engine", spread), "engine")
    assert f"{first:,.1f} [{0.5 * first:,.1f}, {2 * first:,.1f}]" in part
    assert bench_results._NO_SPREAD not in part

    def ranged(result):
        for row in result["rows"]:
            row["train_s_range"] = [0.25, 1234.5]
            row["tokens_per_s_range"] = [12.0, 3456789.0]

    part = section(changed(results, "library", ranged), "library")
    assert "[0.25, 1234.50] | " in part
    assert "[12, 3,456,789]" in part
    assert bench_results._NO_SPREAD not in part


def test_what_is_not_stored_is_said_with_its_command_and_what_is_damaged_stops_the_report(results):
    (results / "bench-library.json").unlink()
    part = section(bench_results.text(results), "library")
    assert part.strip() == "Not measured yet: `python -m spcviz bench library --json`."
    with pytest.raises(result_files.ResultError, match="bench-engine"):
        changed(results, "engine", lambda result: result["rows"][0].pop("us"))
    (results / "bench-engine.json").write_text("{", encoding="utf-8")
    with pytest.raises(result_files.ResultError, match="bench-engine"):
        bench_results.text(results)
