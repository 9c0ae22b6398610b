"""Models and scores from elsewhere read the page's examples and pasted sentences."""

import io

import numpy as np
import pytest

import spcviz
from spcviz.io.zipped import to_zip
from spcviz.problems.own_data.model import template as templates
from spcviz.problems.own_data.model.examples import read_example
from spcviz.problems.own_data.model.files import digest_of
from spcviz.problems.own_data.model.training import Settings
from spcviz.problems.own_data.page import cached, shelf
from tests.app.start.data.visitor import give, read_with_model, run, said, theirs


def test_scores_of_another_model_open_at_once():
    file = io.BytesIO()
    rng = np.random.default_rng(0)
    labels = rng.integers(0, 3, 60)
    scores = rng.normal(size=(60, 3)) + 2 * np.eye(3)[labels]
    np.savez(file, emissions=scores, lengths=np.full(10, 6), labels=labels, label_names=["O", "B-X", "I-X"])
    at = give(run(), "scores.npz", file.getvalue())
    assert "10 sentences, 60 tokens, scores of 3 labels" in said(at)
    assert "27 triples of labels" in said(at)
    at.selectbox(key="data_steps").set_value("none").run()
    assert "Transitions: none." in said(at)
    at.selectbox(key="data_view").set_value("sweep").run()
    assert not at.exception
    assert "on test sequences" in said(at)


def model_file(example, n):
    """A model trained elsewhere, zipped."""
    template = templates.read_template("lower[0] ending2[0]")
    X = [templates.features_of(words, template) for words in example.sentences[:n]]
    tagger = spcviz.StructuredPerceptron(max_iter=2, random_state=0).fit(X, example.labels[:n])
    return to_zip(tagger)


def test_a_model_from_a_file_reads_the_example_and_then_pasted_sentences():
    example = read_example("ewt")
    data, n_labels = model_file(example, 40), len({label for row in example.labels[:40] for label in row})
    at = give(run(), "mine.zip", data)
    assert not at.error
    assert f"a perceptron, {n_labels} labels" in said(at)
    assert at.query_params["model"] == digest_of(data)
    at = read_with_model(at)
    assert "The model read 4,503 tokens" in said(at)
    assert at.get("bidi_component")
    at.selectbox(key="data_view").set_value("take").run()
    assert "tagger = sp.load(" in at.code[0].value
    at.selectbox(key="data_view").set_value("errors").run()
    assert "tokens are wrong" in said(at)

    at.text_area(key="data_text").set_value("The\ndog\nbarked\n").run()
    next(button for button in at.button if button.label == "Read it").click().run()
    at = read_with_model(at)
    assert "The model read 3 tokens; none has a gold label" in said(at)
    assert "without gold labels" in at.info[0].value.lower()
    at.selectbox(key="data_view").set_value("lattice").run()
    assert at.get("bidi_component")
    assert not at.error

    next(button for button in at.button if button.label == "Put the model away").click().run()
    assert "model" not in at.query_params
    assert "The model read" not in said(at)


def test_a_link_asks_for_its_model():
    at = run(model="0123456789ab")
    assert "a model of the digest 0123456789ab" in at.warning[0].value


@pytest.mark.parametrize("name", list(cached.EXAMPLES))
def test_a_model_is_used_with_every_example(name):
    sentences = [["a", "dog", "barks"], ["the", "man"]] * 10
    labels = [["D", "N", "V"], ["D", "N"]] * 10
    X = [templates.features_of(words, templates.read_template("bias lower[0]")) for words in sentences]
    data = to_zip(spcviz.StructuredPerceptron(max_iter=1, random_state=0).fit(X, labels))
    at = give(run(example=name), "mine.zip", data)
    assert "a perceptron, 3 labels" in said(at)
    visit = theirs()
    assert visit.example == name
    assert visit.model.digest == at.query_params["model"]
    assert visit.job is None or visit.job.ended.wait(240)
    at.run()
    at.run()
    seed = Settings(seed=int(at.query_params.get("seed", ["0"])[0]))
    assert not at.error
    assert visit.find(shelf.key_of(visit, seed, "read")) is not None
    at.selectbox(key="data_example").set_value("ewt" if name != "ewt" else "penn").run()
    assert "a perceptron, 3 labels" in said(at)  # it reads the other example, too
