"""Answers to a class's question: every guess is counted, however wild."""

from hypothesis import given
from hypothesis import strategies as st

from spcviz.web.classroom import question


@given(st.lists(st.floats(-1e15, 1e15), min_size=1, max_size=80))
def test_every_guess_is_counted_once_whatever_it_is(values):
    histogram = question.guesses(values)
    assert sum(one["count"] for one in histogram["bins"]) == len(values)
    edges = [one["low"] for one in histogram["bins"]] + [histogram["bins"][-1]["high"]]
    assert edges == sorted(edges)


def test_one_wild_guess_leaves_the_others_apart():
    histogram = question.guesses([*range(1, 100), 1e15])
    assert not histogram["isLog"] or histogram["bins"][0]["high"] < 50
    assert max(one["count"] for one in histogram["bins"]) < 60
