"""Training sentences for policies, each scored by a parser that has not seen it.

A parser is surer of what it learned on; policies would then buy too little (Bolukbasi et al. 2017, 4.3).
"""

from dataclasses import replace

import numpy as np

from spcviz.problems.parsing.data.treebank import Sentences
from spcviz.problems.parsing.model import parser as parsers

N_FOLDS = 2
N_LEARN = 1500
"""Training sentences that searches are run on."""
LONGEST = 40
"""Words of a sentence that a search is run on: trajectories take the cube of it."""


def folds_of(sentences, tag_set, settings, rng, tick=None):
    """Training sentences fold by fold, each scored by a parser (of half the passes) that has not seen it."""
    n, settings = len(sentences.starts) - 1, replace(settings, epochs=max(2, settings.epochs // 2))
    fold = rng.permutation(n) % N_FOLDS
    parts = []
    for k in range(N_FOLDS):
        rest, own = (sentences.some(np.flatnonzero(mine)) for mine in (fold != k, fold == k))
        some = rng.permutation(np.flatnonzero(np.diff(own.starts) - 1 <= LONGEST))
        own = own.some(np.sort(some[: N_LEARN // N_FOLDS]))
        parts.append((own, parsers.score(parsers.train(rest, tag_set, settings, rng, tick), own)))
    return _joined([own for own, _ in parts]), _joined_scores([scored for _, scored in parts])


def _joined(parts):
    starts = np.cumsum([0, *(n for own in parts for n in np.diff(own.starts))])
    arrays = (np.concatenate([getattr(own, name) for own in parts]) for name in ("tags", "heads", "codes"))
    return Sentences(tuple(word for own in parts for word in own.words), *arrays, starts)


def _joined_scores(parts):
    at = np.cumsum([0, *(n for own in parts for n in np.diff(own.at))])
    return parsers.Scored(np.concatenate([own.squares for own in parts], axis=1), at)
