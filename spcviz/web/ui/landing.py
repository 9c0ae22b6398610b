"""The home page's word, computed once per process."""

from functools import cache

import numpy as np

from spcviz.problems.common.folders import CACHE
from spcviz.problems.letters.page.home_word import home_word

LETTERS = CACHE / "data" / "ocr_letters.npz"
WORD_IDX = 1774  # "earbook" (yearbook): drag far enough and its e, which looks like a c, is pruned


@cache
def word():
    """The word of the home page, a `home_word.HomeWord`; about 30 ms the first time."""
    with np.load(LETTERS, allow_pickle=False) as letters:
        return home_word(**letters, word_idx=WORD_IDX)
