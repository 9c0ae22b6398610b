"""Spaces put back: the chain's reading against all readings of a short text."""

import itertools

import numpy as np

from spcviz.problems.spaces.page import live


def test_the_reading_is_the_best_of_all():
    letters = "theoldman"
    (seen, steps), best = live.counts(), {}
    share = steps.sum(axis=0) / steps.sum()
    for states in itertools.product((0, 1), repeat=len(letters)):
        score = sum(np.log(seen[three, k] + 2 * share[k]) for three, k in zip(live.around(letters), states))
        score += sum(np.log(steps[j, k] / steps[j].sum() / share[k]) for j, k in itertools.pairwise(states))
        best[states] = score
    top = max(best, key=best.get)
    said = "".join(" " * k + c for c, k in zip(letters, top)).strip()
    assert live.read("the old man").joint == said


def test_spaces_and_capitals_are_forgotten():
    assert live.read("The  OLD man") == live.read("theoldman")
    assert live.read("x").joint == "x"
