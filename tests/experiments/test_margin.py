"""The document on threshold rules matches the stored results, and names what has not run."""

import shutil

import pytest

from experiments import margin


@pytest.fixture
def figures(tmp_path, monkeypatch):
    """A separate folder for the written files."""
    for name in ("head.md", "tail.md"):
        shutil.copy(margin.FIGURES / name, tmp_path / name)
    monkeypatch.setattr(margin, "FIGURES", tmp_path)
    return tmp_path


def test_the_document_and_its_figures_are_those_of_the_results(figures):
    stored = {path.name: path.read_text(encoding="utf-8") for path in margin.HERE.glob("margin/*.svg")}
    assert margin.document() == margin.TEXT.read_text(encoding="utf-8")
    assert {path.name: path.read_text(encoding="utf-8") for path in figures.glob("*.svg")} == stored
    for name in stored:
        assert f"(margin/{name})" in margin.document()


def test_what_has_not_run_is_said(figures, monkeypatch):
    monkeypatch.setattr(margin, "_result", lambda name: None)
    text = margin.document()
    assert text.count("Not run yet:") == len(margin.STUDIES)
    assert "Nothing can be said before the studies have run." in text


def test_every_comparison_that_the_margin_does_not_win_is_listed(figures):
    free = margin._result("ocr-open-rules")
    text = margin._not_won(None, free)
    for row in free["rows"]:
        if (row["rule"], row["data"]) == ("margin", "unseen") and row["order"] > 1:
            is_won = row["n_grams_in_ratio"][2] < 1
            line = f"{row['features']}, order {row['order']} at {row['tolerance']:g} % a level: "
            assert is_won != any(line in one and "before it" not in one for one in text.splitlines())
