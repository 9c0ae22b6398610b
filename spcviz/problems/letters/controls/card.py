"""Cards (preview pictures) of Home, Letters and Write, drawn from a page's address alone."""

import math
from collections.abc import Mapping

import numpy as np

from spcviz.problems.letters.controls import writing
from spcviz.problems.letters.page import cached, landing
from spcviz.problems.letters.state import HOME, LETTERS
from spcviz.problems.open_words.data.drawings import BOX, parse
from spcviz.web.exporting.card import Card, FunnelStep
from spcviz.web.figures.lattice_numbers import GRAMS, count_words, threshold

N_LETTERS = 26
WITHOUT_KERNELS = ("",)
"""Pages whose card can be drawn while kernels compile."""


def card(page: str, query: Mapping[str, str]) -> Card | None:
    """The card of a page's state; None if it shows no word: nothing was drawn, or no model is stored."""
    return _CARDS[page](query)


def _of_write(query):
    state = writing.TABLE.parse(query)
    reading = writing.read(state)
    if reading.trace is None:
        return None
    drawing, is_own = parse(writing.shown_ink(state)), bool(state["ink"])
    letters = [(k, letter) for k, letter in enumerate(drawing.letters) if letter]
    apart = 0 if drawing.is_strip else BOX
    strokes = tuple(s + np.array([apart * at, 0]) for at, (_, letter) in enumerate(letters) for s in letter)
    truth = state["truth"] if len(state["truth"]) == len(reading.text) else ""
    title = "Read my handwriting" if is_own else "Read this handwriting"
    return Card(title, strokes, None, _funnel(reading.trace), reading.text, truth)


def _of_letters(query):
    named = LETTERS.narrow(features=cached.LETTERS_FEATURES).parse(query)
    features = named["features"]
    ids = cached.letters_ids(features, ("convenient", "ommanding"))
    state = LETTERS.narrow(features=cached.LETTERS_FEATURES, word=ids).parse(query)
    alphas = tuple(state[name] for name in writing.ALPHAS)
    rule = () if state["rule"] == "mean_max" else (state["rule"],)
    trace = cached.letters_trace(state["word"], features, state["order"], alphas, *rule)
    truth = "".join(trace.alphabet[k] for k in trace.truth) if state["reveal"] == "shown" else ""
    title = "Read this handwriting"
    return Card(title, (), trace.pixels, _funnel(trace), cached.reading(trace), truth)


def _of_home(query):
    word, alpha = landing.word(), HOME.parse(query)["a"]
    at = landing.STOP if alpha is None else alpha
    left = np.maximum((word.falls_at > at).sum(axis=1), 1)
    words = math.prod(left.tolist())
    labels = word.order[:, 0] if words == 1 else [read for since, read in word.sharper if since <= at][-1]
    every = N_LETTERS ** len(word.truth)
    steps = FunnelStep("possible", every), FunnelStep("letters and pairs", words), FunnelStep("read", 1)
    reading, truth = (bytes(97 + np.asarray(one, dtype=np.uint8)).decode() for one in (labels, word.truth))
    return Card("Read this handwriting", (), word.pixels, steps, reading, truth)


def _funnel(trace):
    """All words, those that each level leaves, and the one that is read."""
    length = len(trace.pixels)
    levels = [
        FunnelStep(GRAMS[level.order - 1], count_words(level, threshold(level)[1])) for level in trace.levels
    ]
    return FunnelStep("possible", N_LETTERS**length), *levels, FunnelStep("read", 1)


_CARDS = {"": _of_home, "letters": _of_letters, "write": _of_write}
