r"""Put spaces back into a text: a chain of two states a letter, 0 "goes on" and 1 "begins".

.. math:: u_i(k) = \log p(k \mid c_{i-2} c_{i-1} c_i), \qquad t(j, k) = \log p(k \mid j) - \log p(k)
"""

import re
from collections import Counter
from functools import cache
from typing import NamedTuple

import numpy as np

from spcviz.engine.chains import chain
from spcviz.shared.folders import CACHE, shipped_path

SENTENCES = CACHE / "data" / "ewt" / "sentences.conllu"


class Reading(NamedTuple):
    """A text with its spaces put back, by the chain and by each letter alone."""

    joint: str
    alone: str


@cache
def counts() -> tuple[Counter, np.ndarray]:
    """How often a letter with two before it begins a word or not; steps (2, 2); of the shipped sentences."""
    seen, steps = Counter(), np.ones((2, 2))
    for text in re.findall(r"^# text = (.*)$", shipped_path(SENTENCES).read_text(encoding="utf-8"), re.M):
        words = text.lower().split()
        begins = [int(i == 0) for word in words for i in range(len(word))]
        seen.update(zip(around("".join(words)), begins))
        np.add.at(steps, (begins[:-1], begins[1:]), 1)
    return seen, steps


def around(letters: str) -> list[str]:
    """Each letter with the two before it."""
    return [f"^^{letters}"[i : i + 3] for i in range(len(letters))]


def read(text: str) -> Reading:
    """Forget a text's spaces and put them back; it has a letter at least."""
    (seen, steps), letters = counts(), "".join(text.lower().split())
    share = steps.sum(axis=0) / steps.sum()
    unary = np.log([[seen[three, k] + 2 * share[k] for k in (0, 1)] for three in around(letters)])
    best = chain.decode(unary, np.log(steps / steps.sum(axis=1, keepdims=True)) - np.log(share)).labels
    both = ("".join(" " * int(k) + c for c, k in zip(letters, ks)) for ks in (best, unary.argmax(axis=1)))
    return Reading(*(said.strip() for said in both))


def warmup(_models: object) -> None:
    """Run every kernel of the page once."""
    read("a b")
