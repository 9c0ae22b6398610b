"""The report: every number read from the results, the files in the repository up to date."""

import hashlib
import json
import re
import shutil

import pandas as pd
import pytest

from experiments import excerpts, report
from experiments.statements import OWN, PAPERS
from spcviz import cli, registry
from spcviz.shared.folders import RESULTS, ROOT
from spcviz.shared.result_files import ResultError

STORED = [name for name in registry.results() if (RESULTS / f"{name}.json").exists()]
MARKED = "# Title\n<!-- count -->\n<!-- /count -->\n<!-- statements -->\nold\n<!-- /statements -->\nrest\n"


SECTION, SECTIONS = report.section, {}


@pytest.fixture(autouse=True)
def sections_made_once(monkeypatch):
    """A result's section, three quarters of a report's time, is made once for each content of its file."""

    def section(name, results=RESULTS):
        path = results / f"{name}.json"
        key = name, hashlib.sha256(path.read_bytes()).digest() if path.is_file() else None
        if key not in SECTIONS:
            SECTIONS[key] = SECTION(name, results)
        return SECTIONS[key]

    monkeypatch.setattr(report, "section", section)


@pytest.fixture
def folder(tmp_path):
    """A folder with all results that statements read, a README with marks, and a file about classes."""
    results = tmp_path / "results"
    shutil.copytree(RESULTS, results, ignore=shutil.ignore_patterns("README.md"))
    (tmp_path / "front.md").write_text(MARKED)
    (tmp_path / "class.md").write_text("<!-- bench app -->\nold\n<!-- /bench app -->\n")
    return tmp_path


def places(folder):
    return folder / "results", folder / "front.md", folder / "class.md"


def change(folder, name, key, value, **wanted):
    """Write a value into rows of a result."""
    path = folder / "results" / f"{name}.json"
    result = json.loads(path.read_text(encoding="utf-8"))
    for row in result["rows"]:
        if wanted.items() <= row.items():
            row[key] = value
    path.write_text(json.dumps(result), encoding="utf-8")


def test_the_committed_report_is_what_the_results_say():
    stale = [str(path) for path in report.stale()]
    assert not stale, f"{stale}: write them with: python -m spcviz report"


def test_the_evidence_has_every_statement_and_every_result():
    text = (RESULTS / "README.md").read_text(encoding="utf-8")
    assert text.count("\n") <= 400
    assert [*report.earlier_verdicts(text)] == [one.text for one in (*PAPERS, *OWN)]
    assert len(STORED) > 20
    for name in STORED:
        row, result = registry.results()[name], json.loads((RESULTS / f"{name}.json").read_text())
        section = text.split(f"\n## {row.title}\n")[1].split("\n## ")[0]
        assert result["command"] in section
        assert section.count("\n| ") >= 2
        assert all(note in section for note in registry.load(row.show).notes(result))
    anchors = {report.anchor(title) for title in re.findall("^## (.*)$", text, re.MULTILINE)}
    linked = set(re.findall(r"\]\(#([^)]*)\)", text))
    assert len(linked) >= 12
    assert linked <= anchors
    assert "nan" not in text.lower().split()
    assert not re.search(r"short by|contradicted|not reproduced|\baim\b", text)


@pytest.mark.parametrize("name", STORED)
def test_an_excerpt_has_the_lines_that_it_names(name):
    result = json.loads((RESULTS / f"{name}.json").read_text(encoding="utf-8"))
    frame = excerpts.excerpt(name, result, registry.load(registry.results()[name].show))
    about = excerpts.EXCERPTS[name]
    assert 2 <= len(frame) <= about.most
    for pattern in about.columns:
        assert any(re.search(pattern, column) for column in frame), pattern


def test_a_changed_number_changes_its_verdict_and_the_report_says_so(folder):
    _, moved = report.write(*places(folder))
    assert moved == []
    assert report.stale(*places(folder)) == []
    change(folder, "pose-ensemble", "n_broken", 0)
    assert report.stale(*places(folder)) == [folder / "results" / "README.md", folder / "front.md"]
    _, moved = report.write(*places(folder))
    one = report.Change("The ensemble never leaves a variable without a state", "fails", "holds")
    assert moved == [one]
    assert report.write(*places(folder))[1] == []


def test_a_verdict_that_moves_with_the_rules_wants_a_word(folder, monkeypatch):
    report.write(*places(folder))
    monkeypatch.setattr(report, "rules_digest", lambda: "0" * 12)
    report.write(*places(folder))  # other rules, the same verdicts
    monkeypatch.undo()
    change(folder, "pose-ensemble", "n_broken", 0)
    with pytest.raises(
        report.ReportError, match=r"rules were changed.*“The ensemble never .*'fails' to 'holds'"
    ):
        report.write(*places(folder))
    papers, own = report.readings(folder / "results")
    spoken = [one._replace(statement=one.statement._replace(changed="why")) for one in [*papers, *own]]
    report.refuse_silent_changes((folder / "results" / "README.md").read_text(), spoken)


@pytest.mark.parametrize("cut", [0.5, 0.9])
def test_a_result_that_is_cut_off_stops_the_report_and_nothing_is_written(folder, cut):
    report.write(*places(folder))
    before = [path.read_text() for path in (folder / "results" / "README.md", folder / "front.md")]
    path = folder / "results" / "hybrid.json"
    text = path.read_text()
    path.write_text(text[: int(cut * len(text))])
    with pytest.raises(ResultError, match=r"hybrid\.json cannot be read.*python -m spcviz reproduce hybrid"):
        report.write(*places(folder))
    assert [path.read_text() for path in (folder / "results" / "README.md", folder / "front.md")] == before


@pytest.mark.parametrize("content", ["", "[]", '{"name": "ocr-sweep", "rows": [{}]}', '{"rows": 5}'])
def test_a_damaged_result_that_no_statement_reads_stops_it_too(folder, content):
    (folder / "results" / "ocr-sweep.json").write_text(content)
    with pytest.raises(ResultError, match=r"ocr-sweep\.json .*python -m spcviz reproduce ocr-sweep"):
        report.files(*places(folder))


def test_a_result_that_is_not_stored_is_said_to_be(folder):
    (folder / "results" / "grid.json").unlink()
    text = report.files(*places(folder))[folder / "results" / "README.md"]
    section = text.split("## Loopy grids (Fig. 5.3)")[1].split("\n## ")[0]
    assert section.strip() == "**Not stored.** Make it with: `python -m spcviz reproduce grid`"
    assert text.count("grid.json is not stored") == 3


def test_only_what_is_between_the_marks_is_replaced(folder):
    front, about = (report.files(*places(folder))[folder / name] for name in ("front.md", "class.md"))
    counted = re.search("<!-- count -->\n(.*): (.*)\n<!-- /count -->\n<!-- statements -->\n", front)
    assert front.startswith(f"# Title\n{counted[0]}{counted[1]} (other data). Each with its spread")
    assert counted[1].startswith("Of 36 statements")
    assert (
        counted[2]
        == f"[each, and how sure](#{report.anchor('What the papers say, and what these data say')})."
    )
    assert front.endswith("|\n<!-- /statements -->\nrest\n")
    assert "students who act once a second" in about
    assert "goal" not in about
    assert report.between("no marks", "statements", "new") == "no marks"
    assert report.between("<!-- a --> without an end", "a", "new") == "<!-- a --> without an end"


def test_check_names_what_differs_and_writes_nothing(folder, monkeypatch, capsys):
    for name in ("stale", "write"):
        made = getattr(report, name)
        monkeypatch.setattr(report, name, lambda made=made: made(*places(folder)))
    assert cli.main(["report", "--check"]) == 1
    said = capsys.readouterr().err
    assert str(folder / "results" / "README.md") in said
    assert str(folder / "front.md") in said
    assert (folder / "front.md").read_text() == MARKED
    assert cli.main(["report"]) == 0
    assert str(folder / "front.md") in capsys.readouterr().out
    assert cli.main(["report", "--check"]) == 0
    change(folder, "pose-ensemble", "n_broken", 0)
    assert cli.main(["report"]) == 0
    assert "changed since the last report: “The ensemble never leaves" in capsys.readouterr().out


def test_verdicts_are_found_in_a_report_of_either_order_of_columns():
    rows = "| 1 | [One](#a) | x | y | **holds, smaller** (open: a) | z |\n| 2 | [Two](#b) | **fails** | x |\n"
    assert report.earlier_verdicts(rows) == {"One": "holds, smaller", "Two": "fails"}


def test_when_a_benchmark_was_measured_stands_beside_it(folder):
    for name in ("bench-engine", "bench-app"):
        path = folder / "results" / f"{name}.json"
        result = json.loads(path.read_text(encoding="utf-8"))
        result["provenance"][0] |= {"date": "2031-05-06", "commit": "0123abcd"}
        path.write_text(json.dumps(result), encoding="utf-8")
    (folder / "front.md").write_text("<!-- benchmarks -->\n<!-- /benchmarks -->\n")
    wanted = report.files(*places(folder))
    assert wanted[folder / "front.md"].count("| `engine` 2031-05-06 |") == 3
    assert wanted[folder / "front.md"].count("| `app` 2031-05-06 |") == 1
    measured = "Measured on 2031-05-06 (commit 0123abcd), by `python -m spcviz bench app --scale 1.0`; later"
    assert measured in wanted[folder / "class.md"]


def test_the_command_prints_how_verdicts_hang_on_the_rules(capsys):
    assert cli.main(["report", "--sensitivity"]) == 0
    said = capsys.readouterr().out
    assert "Statements of the documents:" in said
    assert "times decide from 1.5" in said


def test_the_readme_is_two_pages():
    lines = (ROOT / "README.md").read_text(encoding="utf-8").splitlines()
    assert len(lines) <= 110
    assert sum(len(line.split()) for line in lines) <= 1400
    is_code = False
    for line in lines:
        is_code ^= line.startswith("```")
        assert is_code or len(line.split()) <= 60, line
        if line.startswith("|"):
            assert all(len(cell) <= 60 for cell in line.strip("| ").split(" | ")), line


def test_a_table_as_text():
    frame = pd.DataFrame({"K": ["x", "y"], "who": ["a|b", "–"]})
    assert report.as_markdown(frame).split("\n") == [
        "| K | who |",
        "| --- | --- |",
        "| x | a\\|b |",
        "| y | – |",
    ]
