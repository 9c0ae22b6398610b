"""What parsing under a budget is told in, and what its page draws: plain tuples, numpy only."""

from typing import NamedTuple

import numpy as np

from spcviz.learning.budgets.methods import METHODS, Terms, Tier

TERMS = Terms("sentence", "sentences", "word", "words", free="tags")
TIERS = (
    Tier("tags", "tags alone", "tags"),
    Tier("full", "+ words and everything around", "full"),
)
"""Templates of a word's arcs; tags are cheap."""

ONE_SHOT = (
    "one_shot", "one_shot_contrast", "one_shot_trajectory", "one_shot_simple", "one_shot_trajectory_simple",
)  # fmt: skip
"""Policies that decide before anything is bought, by key of `METHODS`."""

METHOD_OF = {key: key for key in (*ONE_SHOT, "anytime", "dms_pi", "greedy", "uniform")} | {
    "uniform_sentences": "uniform_arms",
    "myopic": "least_sure",
}
"""What results call a policy: its key in the table of methods."""

OFFERED = ("one_shot", "one_shot_contrast", "one_shot_trajectory", "one_shot_simple", "anytime", "dms_pi",
           "uniform")  # fmt: skip
"""Policies of the page, in its order: those that choose words."""


TRADED = (
    "least_sure", "uniform_arms", "one_shot", "one_shot_contrast", "one_shot_simple", "anytime", "dms_pi",
    "greedy", "uniform",
)  # fmt: skip
"""Methods of the Trade-off page, by key of `METHODS`."""

COST_HELP = (
    "Units: 1 lifts one word from tags alone to everything. Measured: features, parsing and the method "
    "itself."
)
ORIGIN = (
    "Sentences of the English Web Treebank's development part (CC BY-SA 4.0): the parser was not trained on "
    "them, though settings of the policies were chosen on that part. A word counts as right if its head is. "
    "Features cost what they took in training; parsing and choosing are timed on this server, now. Bolukbasi "
    "et al. (2017)."
)
"""Of what the Trade-off page shows."""


def said(policy):
    """(label, help) of a policy of the results.

    Examples
    --------
    >>> said("uniform_sentences")[0]
    'Sentences, at random'
    """
    return METHODS[METHOD_OF[policy]].said(TERMS)


class PolicyCourse(NamedTuple):
    """One policy on one sentence of N words, purchase by purchase.

    Attributes
    ----------
    name, label, help : str
    order : ndarray of int, shape (N,)
        Words, 0 .. N - 1, in the order in which they are bought.
    heads : ndarray of int, shape (N + 1, N)
        After each number of purchases; 0 is the root.
    score : ndarray, shape (N + 1,)
        Of the tree.
    other : ndarray of int, shape (N + 1, N)
        Each word's head in the best tree without its arc; -1 if there is none.
    without : ndarray, shape (N + 1, N)
        Score of that tree; -inf if there is none.
    values : ndarray, shape (N + 1, N)
        What the policy goes by before the next purchase; NaN where nothing is for sale.
    us : ndarray, shape (N + 1,)
        Microseconds until then: features as measured in training, parsing and choosing as they took here.
    """

    name: str
    label: str
    help: str
    order: np.ndarray
    heads: np.ndarray
    score: np.ndarray
    other: np.ndarray
    without: np.ndarray
    values: np.ndarray
    us: np.ndarray


class ParsedSentence(NamedTuple):
    """One sentence under several policies.

    Attributes
    ----------
    words, tags : tuple of str
    meanings : dict of str to str
        Tags in plain words.
    truth : ndarray of int, shape (N,), or None
        Heads, where somebody knows.
    full_us : float
        Everything for every word, without a policy.
    courses : tuple of PolicyCourse
    """

    words: tuple
    tags: tuple
    meanings: dict
    truth: np.ndarray | None
    full_us: float
    courses: tuple
