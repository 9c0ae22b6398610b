"""Controls of the page Letters: the word; behind a button the set of words, the model, the picture."""

from collections import Counter

import numpy as np
import streamlit as st

from spcviz.problems.letters.page import cached
from spcviz.problems.letters.page import charts as say
from spcviz.problems.letters.state import LETTERS
from spcviz.web.cached.sharing import share
from spcviz.web.ui import layout

ORDERS = {1: "letters", 2: "pairs", 3: "triples", 4: "4-grams", 5: "5-grams", 6: "6-grams"}
RULES = {"mean_max": "mean and best", "margin": "margin"}
# Notes next to the closed box about what is set in it.
SAID = {
    "which": lambda _: "misread words",
    "order": lambda n: f"up to {ORDERS[n]}",
    "view": lambda _: "bars",
    "rule": lambda _: "threshold at a margin",
    "features": lambda name: cached.LETTERS_FEATURES.get(name, name),
}


def _sync(**changes):
    """A widget's callback: new choices go to the address."""
    LETTERS.write(cell="", **changes)


def _draw_random(words):
    """Another word, chosen by the next seed so that the address repeats it."""
    seed = (LETTERS.parse(st.query_params)["seed"] + 1) % 1_000_000
    _sync(word=int(np.random.default_rng(seed).choice(list(words))), seed=seed)


def wrong_at(state: dict) -> int | None:
    """The order at which words on offer are misread; None where all are on offer."""
    return state["order"] if state["which"] == "wrong" else None


@share(64, kernels=False)
def menu(features: str, wrong_at: int | None, is_hidden: bool, _labels: dict[int, str]) -> dict[int, str]:
    """Labels of words, half of the page's bytes, without their numbers where no two are equal."""
    texts = {word_id: label.partition(" · ")[0] for word_id, label in _labels.items()}
    n = Counter(texts.values())
    return {word_id: text if n[text] == 1 else _labels[word_id] for word_id, text in texts.items()}


def show(state: dict) -> None:
    """The row of choices: the word; which words, model, order and picture behind a button."""
    of_words = state["features"], wrong_at(state), state["reveal"] == "hidden"
    names = menu(*of_words, cached.letters_labels(*of_words))

    def tie(name, **others):
        key = f"letters_{name}"
        st.session_state[key] = state[name]
        labels = "collapsed" if layout.is_projected() else "visible"
        changed = {"on_change": lambda: _sync(**{name: st.session_state[key]}, **others)}
        return {"key": key, "label_visibility": labels, **changed}

    with layout.choices():
        label = "Word: type to search"
        st.selectbox(label, list(names), format_func=names.get, width=300, **tie("word"))
        about = {"icon": ":material/casino:", "help": "Draws a word; the seed in the address repeats it."}
        st.button("Another word", on_click=_draw_random, args=(names,), **about)
        box = layout.more(LETTERS, state, SAID)
    with box:
        layout.segments("Choose from", {"all": "all words", "wrong": "misread"}, tie("which"))
        orders = {n: f"up to {name}" if n == state["order"] else str(n) for n, name in ORDERS.items()}
        layout.segments("Longest n-gram", orders, tie("order", level=1))
        layout.segments("Picture", {"lattice": "lattice", "bars": "bars"}, tie("view"))
        if state["features"] in cached.OPEN:
            layout.segments("Threshold", RULES, tie("rule"), say.RULE_HELP)
        if len(cached.LETTERS_FEATURES) > 1:
            of = {"format_func": cached.LETTERS_FEATURES.get, "width": 270}
            st.selectbox("What it sees", list(cached.LETTERS_FEATURES), **of, **tie("features"))
