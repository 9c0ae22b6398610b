"""Python side of the Tagging view: a sentence with the tags that are left under each word."""

from spcviz.problems.tagging.shown import PLAIN
from spcviz.web.view.mount import Component, viewer

VIEW_NAMES = ("alphas", "level", "cell")
"""Fields that the browser owns, as for the lattice, except that a cell is always one tag at one word."""

SENTENCE = Component(
    "spcviz_sentence",
    ("web/view/bar.css", "web/view/more.css", "problems/tagging/view/sentence.css"),
    (
        "web/view/elements.js",
        "web/view/view.js",
        "web/view/more.js",
        "web/view/rule.js",
        "web/lattice/lattice_core.js",
        "problems/tagging/view/sentence_core.js",
        "problems/tagging/view/sentence.js",
    ),
    VIEW_NAMES,
)


def sentence_payload(payload: tuple[dict, dict], alphabet: tuple[str, ...]) -> tuple[dict, dict]:
    """A `lattice_payload` of a tagged sentence, with its tags in a word or two."""
    sent, parts = payload
    return sent | {"plain": [PLAIN.get(tag, "punctuation") for tag in alphabet]}, parts


show_sentence = viewer(SENTENCE)
