"""Composed words: disjoint sets stay disjoint, letters match their labels, one seed makes one set."""

import hashlib

import numpy as np
import pytest

from spcviz.engine.errors import ArgumentError
from spcviz.problems.letters import handwriting as letters
from spcviz.problems.open_words.data import word_images as data
from spcviz.problems.open_words.data.word_images import SETS, compose, part_of_fold


@pytest.fixture(scope="module")
def composed():
    return data.load_composed()


def folds_of(rows):
    words = letters.load_words()
    return np.repeat(words.folds, words.lengths)[rows]


def test_the_shipped_words_are_the_bytes_they_should_be():
    assert hashlib.sha256(data.SHIPPED.read_bytes()).hexdigest() == data.SHIPPED_SHA256


@pytest.mark.parametrize("name", SETS)
def test_every_image_is_of_its_letter(composed, name):
    labels, lengths = data.encode_words(composed.types[composed.words[name]])
    assert np.array_equal(letters.load_words().labels[composed.rows[name]], labels)
    assert lengths.min() >= 3
    assert lengths.max() <= 14


def test_types_and_images_of_the_shares_never_meet(composed):
    share = {name: set(composed.share[composed.words[name]].tolist()) for name in SETS}
    assert share == {"train": {0}, "dev": {1}, "unseen": {2}, "natural": {0, 1, 2}}
    assert set(folds_of(composed.rows["unseen"]).tolist()) == {0}
    assert set(folds_of(composed.rows["natural"]).tolist()) == {0}
    assert set(folds_of(composed.rows["dev"]).tolist()) == {1}
    assert set(folds_of(composed.rows["train"]).tolist()) == set(range(2, 10))


def test_a_training_word_takes_letters_of_its_own_part(composed):
    part = np.repeat(composed.part[composed.words["train"]], data.load_set("train").words.lengths)
    assert np.array_equal(part_of_fold(folds_of(composed.rows["train"])), part)


def test_how_often_types_come(composed):
    for name in ("dev", "unseen"):
        assert len(set(composed.words[name].tolist())) == len(composed.words[name])
    assert set(np.flatnonzero(composed.share == 0).tolist()) == set(composed.words["train"].tolist())
    assert composed.counts[composed.words["natural"]].mean() > 10 * composed.counts.mean()


def test_the_same_seed_composes_the_same_and_it_can_be_written(tmp_path):
    counts = {a + b + c: 1 + ord(a) % 5 for a in "abcde" for b in "aeio" for c in "nrst"}
    sizes = {"train": 70, "dev": 5, "unseen": 6, "natural": 9}
    one, two, other = (compose(counts, letters.load_words(), seed, sizes) for seed in (1, 1, 2))
    assert all(np.array_equal(one.rows[name], two.rows[name]) for name in SETS)
    assert not np.array_equal(one.rows["train"], other.rows["train"])
    data.write(tmp_path / "words.npz", one)
    back = data.read(tmp_path / "words.npz")
    assert all(np.array_equal(back.words[name], one.words[name]) for name in SETS)
    assert back.types.tolist() == one.types.tolist()


@pytest.mark.parametrize("word", ["ab", "Abc", "été", "a" * 15])
def test_other_words_are_refused(word):
    with pytest.raises(ArgumentError, match="counts must be of words of 3 to 14 letters a to z"):
        compose({word: 1}, letters.load_words())


def test_there_is_no_other_set():
    with pytest.raises(ArgumentError, match="name must be one of train, dev, unseen, natural, got 'test'"):
        data.load_set("test")
