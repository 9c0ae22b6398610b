"""Your data in Chromium: a file and a model from a visitor's disk, read once and without an error."""

import io
import re

import numpy as np
import pytest

from spcviz.io.zipped import to_zip
from spcviz.problems.own_data.model import template as templates
from spcviz.sequences import StructuredPerceptron

pytestmark = pytest.mark.browser

CHUNKS = "He PRP B-NP\nreckons VBZ B-VP\nthe DT B-NP\ndeficit NN I-NP\n. . O\n\n" * 30


def model():
    """A model trained elsewhere."""
    words, labels = ["He", "reckons"], ["B-NP", "B-VP"]
    X = [templates.features_of(words, templates.read_template("word[0]"))] * 6
    return to_zip(StructuredPerceptron(max_iter=1, random_state=0).fit(X, [labels] * 6))


def scores():
    """Scores of another model, with gold labels."""
    rng, out = np.random.default_rng(0), io.BytesIO()
    labels = np.tile([1, 2, 0], 12)
    emissions = rng.normal(size=(36, 3)) + 2 * np.eye(3)[labels]
    np.savez(out, emissions=emissions, lengths=[3] * 12, labels=labels, label_names=["O", "B-X", "I-X"])
    return out.getvalue()


def put(page, name, data):
    box = page.locator("input[type=file]").first
    box.wait_for(state="attached", timeout=90_000)
    box.set_input_files({"name": name, "mimeType": "application/octet-stream", "buffer": data})


@pytest.fixture
def page(browser):
    context = browser.new_context(viewport={"width": 1440, "height": 900})
    yield context.new_page()
    context.close()


def test_files_are_read_once_and_a_model_reads_them(page, server):
    page.goto(f"{server}/data", timeout=120_000)
    put(page, "chunks.txt", CHUNKS.encode())
    page.get_by_text("30 sentences, 150 tokens, 4 labels").wait_for(timeout=90_000)
    put(page, "mine.zip", model())
    page.get_by_text("a perceptron, 2 labels").wait_for(timeout=90_000)
    page.get_by_text(re.compile("The model read 150 tokens")).wait_for(timeout=240_000)
    put(page, "scores.npz", scores())
    page.get_by_text("12 sentences, 36 tokens, scores of 3 labels").wait_for(timeout=90_000)
    page.get_by_text("Transitions: rules of BIO").wait_for(timeout=90_000)
    assert page.locator("[data-testid=stException], [data-testid=stAlertContentError]").count() == 0
