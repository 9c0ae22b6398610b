"""Training sentences for policies, scored by parsers that have not seen them.

A parser is surer on its training sentences; policies would then buy too little (Bolukbasi et al. 2017, 4.3).
"""

from dataclasses import replace

import numpy as np

from spcviz.problems.parsing.data.treebank import Sentences
from spcviz.problems.parsing.model import parser as parsers

N_FOLDS = 2
N_LEARN = 1500
"""Training sentences that searches are run on."""
LONGEST = 40
"""Most words of a sentence that a search is run on: trajectories cost the cube of its length."""


def folds_of(sentences, tag_set, settings, rng, tick=None):
    """Training sentences fold by fold, each scored by a parser (of half the passes) that has not seen it."""
    n, settings = len(sentences.starts) - 1, replace(settings, epochs=max(2, settings.epochs // 2))
    fold = rng.permutation(n) % N_FOLDS
    parts = []
    for k in range(N_FOLDS):
        rest, held = (sentences.some(np.flatnonzero(mine)) for mine in (fold != k, fold == k))
        some = rng.permutation(np.flatnonzero(np.diff(held.starts) - 1 <= LONGEST))
        held = held.some(np.sort(some[: N_LEARN // N_FOLDS]))
        parts.append((held, parsers.score(parsers.train(rest, tag_set, settings, rng, tick), held)))
    return _join_sentences([part for part, _ in parts]), _joined_scores([scored for _, scored in parts])


def _join_sentences(parts):
    starts = np.cumsum([0, *(n for part in parts for n in np.diff(part.starts))])
    arrays = (np.concatenate([getattr(part, name) for part in parts]) for name in ("tags", "heads", "codes"))
    return Sentences(tuple(word for part in parts for word in part.words), *arrays, starts)


def _joined_scores(parts):
    at = np.cumsum([0, *(n for part in parts for n in np.diff(part.at))])
    return parsers.Scored(np.concatenate([part.squares for part in parts], axis=1), at)
