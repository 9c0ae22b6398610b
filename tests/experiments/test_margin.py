"""The document on threshold rules is what the stored results say, and says what has not run."""

import pytest

from experiments.margin import comparisons, document, tables


@pytest.fixture
def figures(tmp_path, monkeypatch):
    """A separate folder for the figures."""
    monkeypatch.setattr(tables, "FIGURES", tmp_path)
    return tmp_path


@pytest.fixture
def results():
    return {name: comparisons.stored_result(name) for name in comparisons.STUDIES}


def test_documents_and_figures_are_those_of_the_results(figures):
    folder = document.HERE
    stored = {path.name: path.read_text(encoding="utf-8") for path in folder.glob("*.svg")}
    assert tables.document() == tables.TEXT.read_text(encoding="utf-8")
    assert document.document() == document.TEXT.read_text(encoding="utf-8")
    assert {path.name: path.read_text(encoding="utf-8") for path in figures.glob("*.svg")} == stored
    for name in stored:
        assert f"({name})" in tables.document()
    for name in document._FIGURES:
        assert f"(margin/{name})" in document.document()
        assert name in stored


def test_the_document_is_two_pages():
    text = document.TEXT.read_text(encoding="utf-8")
    assert len(text.split()) < 1300
    assert len(text.splitlines()) < 120


def test_what_has_not_run_is_said(figures, monkeypatch):
    for module in (document, tables):
        monkeypatch.setattr(module, "stored_result", lambda name: None)
    for text in (document.document(), tables.document()):
        assert text.count("Not run yet:") == len(comparisons.STUDIES)
        assert "Nothing can be said before the studies have run." in text


def test_every_comparison_is_listed_and_counted_by_the_rule(figures, results):
    every = comparisons.comparisons(results)
    text = tables.document()
    rows = [line for line in text.partition("## Every comparison")[2].splitlines() if line.startswith("| ")]
    assert len(rows) == 1 + len(every)
    free = [row for row in results["ocr-open-rules"]["rows"] if row["data"] == "unseen" and row["order"] > 1]
    for row in (row for row in free if row["rule"] == "margin"):
        low, high = row["n_grams_in_ratio"][1:]
        wanted = "fewer" if high < 1 else "more" if low > 1 else "within chance"
        name = comparisons.FEATURES[row["features"]]
        at = f"| open vocabulary | {name}, order {row['order']}, {row['tolerance']:g} % a level |"
        (line,) = [line for line in rows if line.startswith(at)]
        assert line.endswith(f"| {wanted} |")
    counted = document._not_won(results)
    for task in {one.task for one in every}:
        (line,) = [line for line in counted.splitlines() if line.startswith(f"| {task} | ")]
        numbers = [int(cell) for cell in line.strip("| ").split(" | ")[1:]]
        of_task = [one.verdict for one in every if one.task == task]
        assert numbers == [of_task.count(verdict) for verdict in document.VERDICTS]


def test_an_interval_that_turns_changes_the_finding(results):
    rows = results["grid-rules"]["rows"]
    at = next(row for row in rows if (row["rule"], row["target"]) == ("margin", 5.0))
    at["ratio"] = [0.5, 0.4, 0.6]
    line = next(line for line in document._finding(results).splitlines() if line.startswith("| grids"))
    assert "0.5 [0.4, 0.6] | fewer" in line
    del results["grid-rules"]
    assert not any(line.startswith("| grids") for line in document._finding(results).splitlines())


def test_a_study_that_lacks_a_headline_is_not_made_up(results):
    results["ocr-rules"] = None
    text = document._finding(results)
    assert "Not run yet: `python -m spcviz reproduce ocr-rules`." in text
    assert "| 55 words" not in text
