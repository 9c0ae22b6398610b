"""Files given to the page Your data: read, reconfigured, trained on, faulty; links that ask for them."""

import pytest

from spcviz.problems.own_data.controls.state import TABLE
from spcviz.problems.own_data.model.examples import data_of
from spcviz.problems.own_data.model.files import digest_of
from spcviz.problems.own_data.page import cached
from spcviz.problems.own_data.page import text as say
from tests.app.start.data.visitor import CHUNKS, PAGE, give, let_go, run, said, theirs, trained


def test_the_first_widget_takes_a_file_and_what_was_read_is_said():
    at = give(run(), "chunks.txt", CHUNKS.encode())
    assert "150 tokens, 4 labels. CoNLL-2000, columns separated by spaces: tokens in 1" in said(at)
    assert at.query_params["file"] == digest_of(CHUNKS.encode())
    assert at.info[0].value.startswith("Train a model")


def test_a_file_is_trained_on_and_its_lattice_opens():
    at = give(run(method="perceptron"), "chunks.txt", CHUNKS.encode())
    at = trained(at)
    assert not at.exception
    assert "Trained on" in said(at)
    assert "100.0 % are right" in said(at)
    assert at.get("bidi_component")


def test_what_was_found_can_be_said_otherwise():
    at = give(run(), "a.tsv", b"word\tart\nHaus\tN\nrot\tA\n\n" * 20)
    assert "60 tokens, 3 labels. TSV, columns separated by tabs: tokens in 1, labels in 2" in said(at)
    at.selectbox(key="data_header").set_value("yes").run()
    assert not at.exception
    assert "with a header: tokens in 1 “word”, labels in 2 “art”" in said(at)
    at.selectbox(key="data_header").set_value("auto").run()
    assert "with a header" not in said(at)


BAD = {
    "columns.txt": (b"a X\nb X Y\nc X\n", "line 2: must have 2 columns"),
    "empty.txt": (b"", "is empty"),
    "line.txt": (b"x" * (10 << 20), "expected one token a line"),
    "script.txt": (b"<script>\0", "must be text"),
    "s.npz": (b"PK\3\4 nothing", "can be unpacked"),
}


@pytest.mark.parametrize("name", BAD)
def test_a_fault_is_one_error_and_nothing_else_is_disturbed(name):
    data, what = BAD[name]
    at = give(run(), name, data)
    assert len(at.error) == 1
    assert what in at.error[0].value.replace("\\", "")
    assert "300 sentences" in said(at)
    at = give(at, "chunks.txt", CHUNKS.encode())
    assert not at.error
    assert "30 sentences" in said(at)


def test_without_examples_it_opens_empty_and_takes_a_file(monkeypatch):
    """As after installing the package with pip."""
    monkeypatch.setattr(cached, "has_examples", lambda: False)
    at = run()
    assert [note.value for note in at.info] == [say.BRING_FIRST]
    assert "The example" not in said(at)
    at = give(at, "chunks.txt", CHUNKS.encode())
    assert "30 sentences, 150 tokens, 4 labels" in said(at)
    at = give(at, "empty.txt", b"")
    assert "is empty" in at.error[0].value
    let_go()
    at = run(file="0123456789ab")
    assert "see an example" not in at.warning[0].value


def test_pasted_text_is_read():
    at = run()
    at.text_area(key="data_text").set_value(CHUNKS).run()
    next(button for button in at.button if button.label == "Read it").click().run()
    assert "30 sentences, 150 tokens" in said(at)


def test_columns_are_set_on_screen():
    at = give(run(), "sentences.conllu", data_of("ewt"))
    assert "17 labels" in said(at)
    at.selectbox(key="data_columns").set_value("1-4").run()
    assert "17 labels" not in said(at)
    assert at.query_params["columns"] == "1-4"


def test_a_link_asks_for_its_file_and_says_when_another_comes():
    at = run(file="0123456789ab", method="crf")
    assert "made for a file with the digest 0123456789ab" in at.warning[0].value
    at = give(at, "chunks.txt", CHUNKS.encode())
    assert not at.warning
    at = run(file=digest_of(CHUNKS.encode()), method="crf", seed=3)
    at = give(at, "chunks.txt", CHUNKS.encode())
    assert not at.warning
    state = TABLE.parse(dict(at.query_params))
    assert (state["method"], state["seed"]) == ("crf", 3)


def test_a_file_of_this_computer_is_opened_at_start(tmp_path, monkeypatch):
    path = tmp_path / "mine.txt"
    path.write_text(CHUNKS)
    monkeypatch.setenv("SPCVIZ_OPEN_FILE", str(path))
    assert "30 sentences, 150 tokens" in said(run())
    monkeypatch.setenv("SPCVIZ_OPEN_FILE", str(tmp_path / "none.txt"))
    let_go()
    at = open_page_with_error()
    assert "cannot be read" in at.error[0].value


def open_page_with_error():
    from tests.app.driver import open_home

    at = open_home()
    at.switch_page(PAGE)
    return at.run()


def test_what_is_under_way_ends_with_words_when_the_columns_change():
    at = give(run(method="cascade"), "sentences.conllu", data_of("ewt"))
    next(button for button in at.button if button.label.startswith("Train")).click().run()
    job = theirs().job
    at.selectbox(key="data_columns").set_value("1-4").run()
    assert job.ended.wait(60)
    assert job.state == "cancelled"
    assert "was ended: it was on what the file was read as before" in at.info[0].value
    assert theirs().job is None
    assert at.info[-1].value.startswith("Train a model")
