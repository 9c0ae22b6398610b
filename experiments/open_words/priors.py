"""What the prior's parts bring, on development words, to a beam that has learned nothing."""

from dataclasses import replace
from itertools import product

import numpy as np

from spcviz.engine.ngrams.beam import beam_decode
from spcviz.learning.cascade.cascade import accuracies
from spcviz.learning.cascade.features import DenseRows, unary_scores
from spcviz.problems.letters.data import handwriting as letters
from spcviz.problems.open_words.model.cascade import OpenModel, image_frequencies, prior, prior_counts

ORDER, WIDTH = 5, 8
KINDS = (("counted", False), ("counted", True), ("kneser_ney", False), ("kneser_ney", True))
"""(smoothing, whether there are begin marks)"""
WEIGHTS = (0.5, 0.6, 0.7, 0.8, 0.9, 1.0, 1.1, 1.2)
DISCOUNTS = (0.75, 0.9)


def rows(model: OpenModel, seen: DenseRows, words: letters.Words, quick: bool = False) -> list[dict]:
    """What a beam reads with each kind of prior, discount and weight; ``is_used``: by the model."""
    frequencies, out = image_frequencies(), []
    for (name, marks), discount in product(KINDS, DISCOUNTS):
        config = replace(model.settings.config, has_begin=marks)
        kind = replace(model.settings, prior=name, config=config, discount=discount)
        counted = prior_counts(kind, ORDER)
        for weight in WEIGHTS[::3] if quick else WEIGHTS:
            settings = replace(kind, text_share=weight)
            by_char, by_word = _read(prior(counted, ORDER, settings, frequencies), seen, words)
            row = {"prior": name, "marks": marks, "discount": discount, "text_share": weight}
            row |= {"order": ORDER, "width": WIDTH, "is_used": settings == model.settings}
            row |= {"char_accuracy": 100 * by_char, "word_accuracy": 100 * by_word}
            out.append(row | {"chosen_on": "development words"})
    return out


def _read(model, seen, words):
    unary = unary_scores(seen, model.weights)
    labels = beam_decode(model.table, unary, words.lengths, ORDER, WIDTH)[1]
    return accuracies(labels, words.labels, np.concatenate([[0], np.cumsum(words.lengths)]))
