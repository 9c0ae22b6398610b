"""A visitor's data are never on a disk, and not in this process once the visit is over."""

import secrets
import time

import pytest

import spcviz
from spcviz.io.zipped import to_zip
from spcviz.problems.own_data.model import template as templates
from spcviz.problems.own_data.page import cached
from spcviz.web.cached import ownership
from tests import heap
from tests.app.start.data.visitor import CHUNKS, give, read_with_model, run, said, trained

SECRET = "Xyzzyplugh"


def test_a_visitors_data_are_never_on_a_disk():
    since = time.time() - 1
    at = give(run(method="perceptron"), "chunks.txt", CHUNKS.replace("deficit", SECRET).encode())
    at = trained(at)
    assert "Trained on" in said(at)
    assert heap.on_disk(SECRET, since=since) == []


@pytest.mark.parametrize("view", ["lattice", "errors", "take"])
def test_half_an_hour_later_nothing_of_a_visitors_is_in_this_process(view):
    """A marker word, what was trained on it, and the features that name it; the clock is moved forward."""
    marker = f"Xy{secrets.token_hex(8)}"
    at = trained(give(run(method="perceptron", view=view), "chunks.txt", _marked(marker)))
    assert heap.holders(marker)
    ownership.CLOCK.turn(35 * 60)
    end = time.monotonic() + 20
    while cached.MINE.owners() and time.monotonic() < end:  # the clock runs on its own
        time.sleep(0.1)
    assert not cached.MINE.owners()
    del at
    assert heap.holders(marker) == []


def test_at_the_end_of_a_visit_nothing_of_it_is_in_this_process():
    marker = f"Xy{secrets.token_hex(8)}"
    at = trained(give(run(method="perceptron"), "chunks.txt", _marked(marker)))
    (name,) = cached.MINE.owners()
    ownership.end(name)
    del at
    assert heap.holders(marker) == []


def marked_model(marker):
    """A model trained on words and labels that contain a marker."""
    words = ["The", marker, "barked", "at", "the", "man"]
    labels = ["D", f"N{marker}", "V", "P", "D", "N"]
    X = [templates.features_of(words, templates.read_template("bias lower[0]"))] * 12
    return to_zip(spcviz.StructuredPerceptron(max_iter=2, random_state=0).fit(X, [labels] * 12))


def over():
    """The visit ends."""
    (name,) = cached.MINE.owners()
    ownership.end(name)


def idle():
    """The page stays open but unused for 35 minutes; the clock runs on its own."""
    ownership.CLOCK.turn(35 * 60)
    end = time.monotonic() + 20
    while cached.MINE.owners() and time.monotonic() < end:
        time.sleep(0.1)
    assert not cached.MINE.owners()


@pytest.mark.parametrize("ends", [over, idle])
@pytest.mark.parametrize("view", ["lattice", "errors"])
def test_of_a_brought_model_nothing_stays_while_the_page_is_open(ends, view):
    """Streamlit keeps the arguments of callbacks and fragments; their contents must be gone all the same."""
    marker = f"xy{secrets.token_hex(8)}"
    at = read_with_model(give(run(view=view), "mine.zip", marked_model(marker)))
    assert heap.holders(marker)
    ends()
    heap.collect()
    tree, at._tree = at._tree, None  # elements that were sent to this test's browser
    del tree
    assert heap.left_of([marker]) == {marker: []}
    del at


def _marked(marker):
    return CHUNKS.replace("deficit", marker).encode()
