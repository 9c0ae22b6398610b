"""A verdict on scores, against counting by hand; its figure and its page."""

import io
import re
from html.parser import HTMLParser

import numpy as np
import pytest
from PIL import Image, ImageFont

import spcviz as sp
from spcviz.engine.errors import ArgumentError, InfeasibleError, ShapeError
from spcviz.shared.verdict import filter_verdict
from spcviz.web.exporting import verdict as figure

HOSTILE = "</script><img src=x onerror=alert(1)>"


def scores_of(n, n_labels=6, seed=0, lengths=(1, 9), signal=3.0):
    rng = np.random.default_rng(seed)
    y = [rng.integers(0, n_labels, size) for size in rng.integers(*lengths, n)]
    tables = [rng.normal(size=(len(labels), n_labels)) for labels in y]
    for table, labels in zip(tables, y):
        table[np.arange(len(labels)), labels] += signal
    return tables, rng.normal(size=(n_labels, n_labels)) * 0.5, y


@pytest.mark.parametrize("rule", ["mean_max", "margin", "probability"])
def test_a_verdict_counts_what_its_threshold_leaves_of_the_half_that_did_not_choose_it(rule):
    tables, steps, y = scores_of(60)
    tags = sp.from_emissions(tables, steps)
    made = tags.verdict(y, 0.1, rule=rule, seed=3)
    dev, test = filter_verdict.deal_halves(tags.lengths, 3)
    assert not set(dev) & set(test)
    assert len(dev) == len(test) == 30
    assert made.setting == pytest.approx(tags.take(dev).tune([y[i] for i in dev], 0.1, rule=rule))
    how = {"alpha" if rule == "mean_max" else rule: made.setting}
    left, n_lost, n_kept, n_triples, n_places = [], 0, 0, 0, 0
    for i in test:
        one = tags.take([i]).prune(**how)
        (mask,) = one.states()
        left.append(mask)
        n_lost += not mask[np.arange(len(mask)), y[i]].all()
        n_kept += mask.sum()
        n_places += len(mask)
        each = mask.sum(axis=1)
        grams = [each[max(0, k - 2) : k + 1].prod() for k in range(min(2, len(each) - 1), len(each))]
        n_triples += sum(grams)
    verdict = made.verdict
    assert (verdict.n_lost, verdict.n_test) == (n_lost, 30)
    assert verdict.kept == pytest.approx(n_kept / n_places)
    assert verdict.left == pytest.approx(n_triples / n_places)
    assert verdict.n_unknown == 0
    assert verdict.lost == filter_verdict.exact_interval(n_lost, 30)
    assert verdict.is_worth == (verdict.kept <= 3 and verdict.lost[0] <= 0.1)


def test_promises_of_a_verdict_are_those_of_tune():
    tables, steps, y = scores_of(300, seed=1)
    tags = sp.from_emissions(tables, steps)
    dev, _ = filter_verdict.deal_halves(tags.lengths, 0)
    half, gold = tags.take(dev), [y[i] for i in dev]
    by = {told.key: told for told in tags.verdict(y, 0.05).verdict.promises}
    assert by["mean"].alpha == pytest.approx(half.tune(gold, 0.05, guarantee="mean"))
    assert by["certain"].alpha == pytest.approx(half.tune(gold, 0.05, guarantee=0.9))


def test_a_margin_is_told_as_a_margin():
    tables, steps, y = scores_of(300, seed=1)
    made = sp.from_emissions(tables, steps).verdict(y, 0.05, rule="margin")
    assert made.setting > 0
    mean = made.verdict.promises[1]
    assert f"Margin = {-mean.alpha:.3f};" in str(made)
    assert "α" not in str(made)


def test_names_of_labels_are_those_of_the_sequences():
    tables, steps, y = scores_of(40)
    names = np.array(list("abcdef"))
    named = sp.from_emissions(tables, steps, labels=names.tolist()).verdict([names[k] for k in y], 0.1)
    assert named.verdict._replace(times=None) == sp.from_emissions(tables, steps).verdict(
        y, 0.1
    ).verdict._replace(times=None)


def test_what_the_scores_forbid_is_told_and_promised_nothing():
    tables, steps, y = scores_of(60, lengths=(3, 9))
    dev, test = filter_verdict.deal_halves(np.array(list(map(len, y))), 0)
    for i in (dev[0], test[0], test[1]):
        tables[i][0, y[i][0]] = -np.inf
    made = sp.from_emissions(tables, steps).verdict(y, 0.5)
    assert made.verdict.n_unknown == 1
    assert made.verdict.promises[0].n == 29
    assert made.verdict.n_lost >= 2
    assert "Of the 30 sequences for choosing, 1 hold a labelling that the scores forbid" in str(made)


def test_what_is_no_truth_of_these_sequences_is_refused():
    tables, steps, y = scores_of(10)
    tags = sp.from_emissions(tables, steps)
    with pytest.raises(ShapeError, match="y has 9 sequences; emissions has 10"):
        tags.verdict(y[1:])
    with pytest.raises(ArgumentError, match="tolerance"):
        tags.verdict(y, 1.5)
    with pytest.raises(ArgumentError, match="rule must be one of"):
        tags.verdict(y, rule="best")
    with pytest.raises(ArgumentError, match="y must be of at least 2 sequences that have positions"):
        sp.from_emissions(tables[:1], steps).verdict(y[:1])
    dead = [np.full_like(table, -np.inf) for table in tables]
    with pytest.raises(InfeasibleError, match="sequence 0"):
        sp.from_emissions(dead, steps).verdict(y)


def test_sequences_are_taken_in_the_order_given():
    tables, _, y = scores_of(8)
    rng = np.random.default_rng(5)
    steps = [rng.normal(size=(max(len(table) - 1, 0), 6, 6)) for table in tables]
    tags = sp.from_emissions(tables, steps)
    some = tags.take([5, 2, 5])
    assert some.score([y[5], y[2], y[5]]).tolist() == tags.score(y)[[5, 2, 5]].tolist()
    assert [a.tolist() for a in some.decode()] == [tags.decode()[i].tolist() for i in (5, 2, 5)]
    with pytest.raises(ArgumentError, match=r"numbers\[0\] must be from 0 to 7, got 8"):
        tags.take([8])
    assert tags.verdict(y).verdict.times is None  # separate steps for each: no dense contender


class Tags(HTMLParser):
    """Elements and attributes of a page."""

    def __init__(self, text):
        super().__init__()
        self.found, self.attributes = [], []
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        self.found.append(tag)
        self.attributes += attrs


def test_a_page_is_one_file_without_script_or_address_and_its_numbers_are_the_verdicts():
    tables, steps, y = scores_of(60)
    names = [HOSTILE, *"abcde"]
    made = sp.from_emissions(tables, steps, labels=names).verdict([[names[k] for k in row] for row in y], 0.1)
    shown = sp.show(made)
    tags = Tags(shown.html)
    assert not {"script", "img", "link", "iframe", "object"} & set(tags.found)
    assert not [name for name, _ in tags.attributes if name in ("src", "href") or name.startswith("on")]
    assert "default-src &#x27;none&#x27;" in shown.html
    assert not re.search(r"https?://(?!www\.w3\.org/2000/svg)", shown.html)
    v = made.verdict
    assert f"{v.kept:.1f} of 6; by a CRF" in shown.html
    assert f"{v.n_lost} of {v.n_test} (" in shown.html
    assert "sequences.verdict(y, tolerance=0.1, seed=0)" in shown.html
    marks, _ = figure.marks_of(made)
    bar = [m for m in marks if isinstance(m, figure.Box)][1]
    assert bar.width == pytest.approx(v.kept / 6 * figure.BAR)
    lines = [m for m in marks if isinstance(m, figure.TextLine)]
    ends = [m.x + ImageFont.load_default(m.size).getlength(m.text) for m in lines]
    assert max(ends) <= figure.WIDTH - figure.PAD
    assert Image.open(io.BytesIO(shown._repr_png_())).size[0] == 2 * figure.WIDTH


def test_the_same_scores_have_the_same_fingerprint_and_others_another():
    tables, steps, y = scores_of(20)
    one, same = (sp.from_emissions(tables, steps).verdict(y).about for _ in range(2))
    tables[3][0, 0] += 1e-9
    assert one == same != sp.from_emissions(tables, steps).verdict(y).about


def test_one_of_some_sequences_is_shown():
    tables, steps, _ = scores_of(5)
    tags = sp.from_emissions(tables, steps, labels=list("abcdef"))
    best = " ".join(tags.decode()[3])
    words = [f"w{k}" for k in range(len(tables[3]))]
    assert f"Best labels: {best}" in tags.show(3, words).html
    assert f"Best labels: {best}" in sp.show(tags, 3, words).html
