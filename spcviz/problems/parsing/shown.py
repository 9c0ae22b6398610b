"""Records that the page Parsing draws, with labels of policies: numpy only."""

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
"""Name of a policy in results -> its key in the table of methods."""

OFFERED = ("one_shot", "one_shot_contrast", "one_shot_trajectory", "one_shot_simple", "anytime", "dms_pi",
           "uniform")  # fmt: skip
"""Policies of the page, in its order: those that choose words."""
MAIN = ("one_shot", "dms_pi", "uniform")
"""Policies that the page opens with."""
ROWS = ("all", "main")
"""Choices of which policies have a row."""


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
"""Origin of what the Trade-off page shows."""


def describe_policy(policy):
    """(label, help) of a policy of the results.

    >>> describe_policy("uniform_sentences")[0]
    'Sentences, at random'
    """
    return METHODS[METHOD_OF[policy]].describe(TERMS)


class PolicyCourse(NamedTuple):
    """One policy on one sentence of N words, purchase by purchase."""

    name: str
    label: str
    help: str
    order: np.ndarray  # (N,): words, 0 .. N - 1, in the order in which they are bought
    heads: np.ndarray  # (N + 1, N): after each number of purchases; 0 is the root
    score: np.ndarray  # (N + 1,): of the tree
    other: np.ndarray  # (N + 1, N): each word's head in the best tree without its arc; -1 if there is none
    without: np.ndarray  # (N + 1, N): score of that tree; -inf if there is none
    # (N + 1, N): the policy's values before the next purchase; NaN where nothing is for sale
    values: np.ndarray
    # (N + 1,): microseconds until then: features as measured in training, parsing and choosing as measured
    # here
    us: np.ndarray


class ParsedSentence(NamedTuple):
    """One sentence under several policies."""

    words: tuple
    tags: tuple
    meanings: dict  # tags in plain words
    truth: np.ndarray | None  # (N,): heads, where known
    full_us: float  # everything for every word, without a policy
    courses: tuple
