"""The report: every number read from the results, the files in the repository up to date."""

import json
import re

import pandas as pd
import pytest

from spcviz import cli, registry, report
from spcviz.shared.folders import RESULTS
from spcviz.web.figures import claims
from tests.problems.letters.paper import test_tables_shown

ROWS = [
    row | {"tolerance_kind": "position", "filter_loss_position": 9.0}
    for row in test_tables_shown.RESULT["rows"]
]
RESULT = test_tables_shown.RESULT | {"rows": ROWS}
MARKED = f"# Title\n{report.BEGIN}\nold\n{report.END}\nrest\n"


@pytest.fixture
def folder(tmp_path):
    """A folder with one result and a README with marks."""
    (tmp_path / "ocr-orders.json").write_text(json.dumps(RESULT))
    (tmp_path / "front.md").write_text(MARKED)
    return tmp_path


def written(folder):
    report.write(folder, folder / "front.md")
    return (folder / "README.md").read_text(), (folder / "front.md").read_text()


def test_the_committed_report_is_what_the_results_say():
    stale = [str(path) for path in report.stale()]
    assert not stale, f"{stale}: write them with: python -m spcviz report"


def test_every_stored_result_has_its_section_its_command_and_its_claims():
    text = (RESULTS / "README.md").read_text()
    stored = {name: row for name, row in registry.results().items() if (RESULTS / f"{name}.json").exists()}
    assert len(stored) > 10
    for name, row in stored.items():
        result = json.loads((RESULTS / f"{name}.json").read_text())
        shown = registry.load(row.show)
        assert f"\n## {row.title}\n" in text
        assert result["command"] in text
        readings = claims.readings_of(shown.claims, result)
        section = text.split(f"\n## {row.title}\n")[1].split("\n## ")[0]
        for reading in readings:
            cells = (reading.verdict, reading.claim.what, reading.measured, reading.paper)
            assert any(all(f"| {cell} |" in line for cell in cells) for line in section.split("\n")), cells
        overview = text.split("\n## ")[0]
        for reading in claims.failed(readings):
            assert f"{reading.claim.what} ({reading.verdict})" in overview
        for note in shown.notes(result):
            assert f"- {note}" in section
    assert ":material/" not in text
    assert "nan" not in text.lower().split()


def test_a_changed_number_changes_both_files(folder):
    before = written(folder)
    assert report.stale(folder, folder / "front.md") == []
    rows = [row | {"char_accuracy": 11.25} for row in RESULT["rows"]]
    (folder / "ocr-orders.json").write_text(json.dumps(RESULT | {"rows": rows}))
    assert report.stale(folder, folder / "front.md") == [folder / "README.md", folder / "front.md"]
    after = written(folder)
    assert "11.25" in after[0]
    assert "11.25" in after[1]
    assert "11.25" not in "".join(before)


def test_headline_claims_are_counted_apart():
    """Every headline claim stands in one line of the table, and nothing else does."""
    table = (RESULTS / "README.md").read_text().split("headline claims**\n\n")[1].split("\n\n")[0]
    lines = [line.strip("| ").split(" | ") for line in table.split("\n")[2:]]
    headlines = {}
    for name, row in registry.results().items():
        shown, path = registry.load(row.show), RESULTS / f"{name}.json"
        of_papers = [claim for claim in shown.claims if claim.is_headline]
        for reading in claims.readings_of(of_papers, json.loads(path.read_text())):
            headlines.setdefault(claims.SEVERITY[claims.severity(reading.verdict)], []).append(
                f"{reading.claim.system}: {reading.claim.what}"
            )
    assert {word: int(many) for word, many, _ in lines} == {
        word: len(entries) for word, entries in headlines.items()
    }
    assert {word: which.split("; ") for word, _, which in lines} == headlines
    assert 35 <= sum(map(len, headlines.values())) <= 50


def test_a_benchmark_has_a_section_where_it_is_stored(folder):
    reach = {"settings": {"reach": {}}, "rows": [{"processor": "p", "operation": "o", "contender": "spcviz"}]}
    assert "## The engine beside" not in written(folder)[0]
    (folder / "bench-engine.json").write_text(json.dumps(reach))
    assert "## The engine beside numpy and other libraries" in written(folder)[0]


def test_only_what_is_between_the_marks_is_replaced(folder):
    _, front = written(folder)
    assert front.startswith(f"# Title\n{report.BEGIN}\n")
    assert "| system | verdict and measured | paper or rival | command |" in front
    assert front.endswith(f"|\n{report.END}\nrest\n")
    assert "old" not in front


@pytest.mark.parametrize("text", ["no marks", f"{report.BEGIN} without an end"])
def test_a_readme_without_marks_is_left_alone(folder, text):
    (folder / "front.md").write_text(text)
    assert written(folder)[1] == text


@pytest.mark.parametrize("content", [None, "", "{", '{"name": "tagging", "rows": [{}]}'])
def test_a_result_that_is_missing_or_damaged_is_said_to_be(folder, content):
    if content is not None:
        (folder / "tagging.json").write_text(content)
    text, front = written(folder)
    section = text.split("## Tagging")[1].split("\n## ")[0]
    assert section.split("\n")[2] == "**Not stored.** Make it with: `python -m spcviz reproduce tagging`"
    assert "| not stored | – | `python -m spcviz reproduce tagging` |" in front


def test_what_fails_comes_first_in_a_section(folder):
    section = written(folder)[0].split("## Handwriting, orders 1 to 6 (Table 4.3)\n\n")[1].split("\n## ")[0]
    verdicts = [line.split(" | ")[0][2:] for line in section.split("\n") if line.startswith("| ")][1:]
    places = [claims.severity(verdict) for verdict in verdicts]
    assert len(verdicts) > 20
    assert places == sorted(places)
    assert verdicts[0].startswith("short by")


def test_no_line_of_the_table_of_systems_is_hard_to_read():
    text = report.README.read_text().split(report.BEGIN)[1].split(report.END)[0]
    lines = [line for line in text.split("\n") if line.startswith("| ")]
    assert len(lines) > 25
    for line in lines:
        for cell in line.strip("| ").split(" | "):
            assert len(cell) <= 90, cell
    for line in lines[1:-1]:
        claims.severity(line.split(" | ")[1])  # begins with a verdict


def test_the_overview_links_every_system_to_a_section_and_the_whole_is_short():
    text = (RESULTS / "README.md").read_text()
    assert text.count("\n") <= 700
    overview, *sections = text.split("\n## ")
    anchors = {report._anchor(section.split("\n")[0]) for section in sections}
    linked = re.findall(r"\]\(#([^)]*)\)", overview)
    assert len(linked) > 30
    assert set(linked) <= anchors


def test_check_names_what_differs_and_writes_nothing(folder, monkeypatch, capsys):
    front = folder / "front.md"
    for name in ("stale", "write"):
        made = getattr(report, name)
        monkeypatch.setattr(report, name, lambda made=made: made(folder, front))
    assert cli.main(["report", "--check"]) == 1
    said = capsys.readouterr().err
    assert str(folder / "README.md") in said
    assert str(front) in said
    assert front.read_text() == MARKED
    assert cli.main(["report"]) == 0
    assert str(front) in capsys.readouterr().out
    assert cli.main(["report", "--check"]) == 0


def test_a_table_as_text():
    frame = pd.DataFrame({"who": ["a|b", None]}, index=pd.Index(["x", "y"], name="K"))
    assert report.as_markdown(frame).split("\n") == ["| K | who |", "|---|---|", "| x | a\\|b |", "| y | – |"]
