"""The page Your data as it opens on an example: its verdict, every view, errors, training, a budget."""

import pytest

from spcviz.problems.own_data.controls.state import TABLE, VIEWS
from spcviz.problems.own_data.model.budget import spend
from spcviz.problems.own_data.model.examples import read_example
from spcviz.problems.own_data.model.training import Settings
from spcviz.problems.own_data.page import shelf
from spcviz.problems.own_data.page import text as say
from tests.app.start.data.visitor import CHUNKS, give, run, said, theirs, trained


def test_it_opens_with_an_example_that_is_read_and_a_model_that_is_there():
    at = run()
    assert "4,503 tokens, 17 labels. CoNLL-U, columns separated by tabs: tokens in 2" in said(at)
    assert "% are right" in said(at)
    assert at.get("bidi_component")


def has_tasks(at):
    return any(component.key == "course_bar" for component in at.get("bidi_component"))


def test_tasks_about_the_example_are_not_offered_beside_a_file():
    at = run()
    assert has_tasks(at)
    at = give(at, "chunks.txt", CHUNKS.encode())
    assert not has_tasks(at)
    at = run(ask="D1")
    assert has_tasks(give(at, "chunks.txt", CHUNKS.encode()))  # a task that is open stays open
    assert not at.warning
    assert "never written to a disk" in said(at)


@pytest.mark.parametrize("view", VIEWS)
def test_every_view_opens_on_the_example(view):
    at = run(view=view)
    assert not at.warning
    if view == "sweep":
        assert "on test sentences" in said(at)
    if view == "compare":
        assert "max-marginals (SPC)" in said(at)
    if view == "take":
        assert "sp.CascadeTagger(order=3" in at.code[0].value


def test_it_opens_with_the_verdict_and_its_numbers():
    at = run()
    verdict = next(block.value for block in at.markdown if "A threshold is" in block.value)
    assert "of 17 labels** a token (a CRF's marginals:" in verdict
    assert "5 % allowed" in verdict
    assert "dense search over triples" in verdict
    assert "other sentences lose at most 5 %" in verdict.partition("**Guaranteed beyond this file:**")[2]
    assert "The most frequent tag of each word:" in said(at)


def test_a_sentence_of_ones_own_is_read_at_once():
    at = run(view="own")
    at.text_input(key="data_own").set_value("The old man sleeps.").run()
    assert not at.exception
    assert any("data:image/svg+xml" in part.body for part in at.get("html"))


def test_each_training_stays_as_a_row_and_two_are_compared():
    assert say.NO_RUNS in [info.value for info in run(view="runs").info]
    at = trained(run(view="runs", method="perceptron"))
    at = trained(at.number_input(key="data_passes").set_value(3).run())
    assert at.dataframe[0].value["passes"].tolist() == [10, 3]
    visit = theirs()
    first, second = shelf.runs_of(visit)
    assert shelf.are_comparable(first, second)
    assert shelf.find_run(visit, first.key) is first.trained


def test_misread_tokens_are_filtered():
    at = run(view="errors")
    every = len(at.dataframe[0].value)
    at.selectbox(key="data_gold").set_value("NOUN").run()
    nouns = at.dataframe[0].value
    assert 0 < len(nouns) < every
    assert set(nouns["gold"]) == {"NOUN"}
    word = nouns["word"].iloc[0]
    at.text_input(key="data_word").set_value(word).run()
    assert set(at.dataframe[0].value["word"].str.lower()) >= {word.lower()}


def test_a_budget_is_drawn_in_the_trade_off_pages_view():
    at = run(view="budget", policy="greedy", budget="0.3")
    assert "What would you pay for features" in said(at)
    visit, example = theirs(), read_example("ewt")
    spent = spend(Settings(), example.sentences[:60], example.labels[:60])
    visit.keep(shelf.key_of(visit, Settings(), "budget"), spent)
    at.run()
    assert not at.exception
    assert at.get("bidi_component")
    assert f"Drawn are {len(spent.batch.truths)} sentences" in said(at)
    state = TABLE.parse(dict(at.query_params))
    assert (state["policy"], state["budget"]) == ("greedy", 0.3)


@pytest.mark.parametrize(
    ("name", "says"),
    [("chunks", "derived, not annotated"), ("names", "runs of proper nouns"), ("letters", "signs")],
)
def test_an_example_says_where_it_comes_from(name, says):
    at = run()
    at.selectbox(key="data_example").set_value(name).run()
    assert not at.exception
    assert says in said(at)
    assert at.query_params["example"] == name
    assert ("template" in at.query_params) == (name == "letters")


def test_a_bad_template_is_said_and_the_page_goes_on():
    at = run(template="word[0] words[1]")
    assert any("template" in warning.value for warning in at.warning)
    assert at.info[0].value.startswith("Train a model")


def test_other_columns_of_an_example_are_read_and_do_not_show_its_stored_model():
    at = run()
    at.selectbox(key="data_columns").set_value("1-4").run()
    assert not at.error
    assert "17 labels" not in said(at)
    assert at.info[0].value.startswith("Train a model")


@pytest.mark.parametrize("view", ["scores", "runs", "sweep"])
def test_above_another_view_the_verdict_is_short_and_the_rest_unfolds(view):
    at = run(view=view)
    verdict = next(block.value for block in at.markdown if "A threshold is" in block.value)
    assert "Guaranteed beyond" not in verdict
    box = next(box for box in at.expander if box.label == say.MORE_OF_VERDICT)
    assert any("**Guaranteed beyond this file:**" in block.value for block in box.markdown)
    assert said(at).count("The most frequent tag of each word:") == 1
