"""The report: every number read from the results, the files in the repository up to date."""

import json

import pandas as pd
import pytest

from spcviz import cli, report
from spcviz.figures.common.blocks import Chart, Charts, Heading, Link, Note, Table, Text
from spcviz.problems import registry
from spcviz.problems.common.folders import RESULTS
from tests.figures.letters.test_tables import RESULT

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


def test_every_stored_result_has_its_section_its_command_and_its_headline():
    text = (RESULTS / "README.md").read_text()
    stored = {name: row for name, row in registry.results().items() if (RESULTS / f"{name}.json").exists()}
    assert len(stored) > 10
    for name, row in stored.items():
        result = json.loads((RESULTS / f"{name}.json").read_text())
        shown = registry.load(row.show)
        assert f"\n## {row.title}\n" in text
        assert result["command"] in text
        headlines = shown.headline(result)
        assert headlines, name
        for line in headlines:
            assert f"| {line.what} | {line.paper} | {line.measured} |" in text
        for miss in shown.misses(result):
            assert f"- {miss}\n" in text
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


def test_only_what_is_between_the_marks_is_replaced(folder):
    _, front = written(folder)
    assert front.startswith(f"# Title\n{report.BEGIN}\n| system |")
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
    assert "| – | not stored | `python -m spcviz reproduce tagging` |" in front


def test_what_is_not_reproduced_comes_first(folder):
    section = written(folder)[0].split("## Handwriting, orders 1 to 6 (Table 4.3)\n\n")[1]
    assert section.startswith("**Not reproduced in full:**\n\n- With raw pixels the column “letters right %”")


def test_every_set_of_features_is_there_and_shared_sentences_once(folder):
    section = written(folder)[0].split("\n## ")[1]
    assert "### What it sees: raw pixels" in section
    assert "### What it sees: pixels + HoG" in section
    assert section.count("#### What falls short") == 1
    assert section.count("Filter loss, measured") == 1
    assert "#### What it costs\n\n#### " not in section


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
    frame = pd.DataFrame(
        {"µs": [1234.5, None], "right %": [2.0, 3.25], "who": ["a|b", None]}, index=pd.Index([1, 2], name="K")
    )
    assert report.as_markdown(frame, {"right %": 2}).split("\n") == [
        "| K | µs | right % | who |",
        "|---|---:|---:|---|",
        "| 1 | 1234 | 2.00 | a\\|b |",
        "| 2 | – | 3.25 | – |",
    ]


def test_charts_links_and_lonely_headings_are_left_out():
    frame = pd.DataFrame({"a": [1]})
    given = [
        Heading("with charts", in_report=False), Charts((Chart(None),)), Heading("lonely"),
        Link("p", "l", "i"),
        Heading("kept"), Text("said", on_page=False), Note("small"), Table(frame, "long", in_report=False),
        Table(frame.iloc[:0], "empty"), Text(""), Text("said"), Heading("last"),
    ]  # fmt: skip
    kept = list(report._with_heads(list(report._texts(given, set()))))
    assert [type(block) for block in kept] == [Heading, Text, Note, Table]
    assert report._markdown(kept[0], "##") == "## kept"
    assert report._markdown(kept[2], "##") == "*small*"
    assert report._markdown(kept[3], "##") == "*A table of 1 lines: see the page Paper tables.*"
