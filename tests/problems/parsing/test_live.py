"""Computations of the Parsing page: typed words, every state of every policy, the stored model."""

import numpy as np
import pytest

from spcviz.engine.errors import ArgumentError
from spcviz.problems.parsing.model import policies
from spcviz.problems.parsing.model import stored as models
from spcviz.problems.parsing.model.parser import score, settings_for
from spcviz.problems.parsing.page import live
from spcviz.problems.parsing.shown import OFFERED
from spcviz.store import load_model
from tests.problems.parsing.conftest import tags_of

SENTENCE = ("The", "old", "man", "the", "boats", ".")


@pytest.fixture(scope="module")
def model(trained, learned):
    return models.ParseModel(trained, learned, {"tags": 1.0, "full": 4.0})


@pytest.fixture
def parse(model, monkeypatch):
    monkeypatch.setattr(live, "tags_of", lambda tagger, words: tuple(tags_of(words)))
    return lambda words, truth=None: live.parse(model, None, words, truth)


def test_every_state_is_the_best_tree_of_what_is_bought(parse, model):
    parsed = parse(SENTENCE, [2, 3, 0, 5, 3, 3])
    world = live.world_of(model, [SENTENCE], [tags_of(SENTENCE)])
    n = len(SENTENCE)
    assert [course.name for course in parsed.courses] == list(OFFERED)
    for course in parsed.courses:
        tiers = np.zeros(n, dtype=np.int64)
        assert sorted(course.order) == list(range(n))
        for s in range(n + 1):
            if s:
                tiers[course.order[s - 1]] = 1
            np.testing.assert_array_equal(course.heads[s], world.read(tiers))
            np.testing.assert_array_equal(np.isnan(course.values[s]), tiers == 1)
            assert (course.without[s] <= course.score[s] + 1e-9).all()
            assert (course.other[s] != course.heads[s]).all()
        assert (np.diff(course.us) > 0).all()
        assert course.score[n] == pytest.approx(parsed.courses[0].score[n])


@pytest.mark.parametrize("words", [("Go",), ("?",), ("שלום", "עולם"), ("word",) * live.MAX_WORDS])
def test_odd_sentences_are_parsed(parse, words):
    parsed = parse(words)
    assert parsed.truth is None
    assert all(
        (course.heads == 0).sum(axis=1).tolist() == [1] * (len(words) + 1) for course in parsed.courses
    )


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "There is no word to parse"),
        ("  \n", "There is no word to parse"),
        ("word " * 200, "At most 50 words can be drawn; this text has 200."),
        ("a" * 2001, "At most 2000 characters can be split into words; this text has 2001."),
    ],
)
def test_what_cannot_be_drawn_is_said_before_anything_is_computed(text, said):
    with pytest.raises(ArgumentError, match=said):
        live.read_sentence(text)


def test_a_model_comes_back_from_the_store(model, sentences, tmp_path):
    settings = settings_for("ewt", quick=True)
    models.save(tmp_path, model, settings=settings, metrics={}, train=sentences)
    again = models.load(tmp_path)
    assert again.us == model.us
    assert again.parser.tag_set == model.parser.tag_set
    np.testing.assert_array_equal(
        score(again.parser, sentences).squares, score(model.parser, sentences).squares
    )
    world = policies.world_of(again.parser, sentences, again.policies.scale)
    one, other = (policies.fixed_values(m.policies, world, np.random.default_rng(0)) for m in (model, again))
    for key, values in one.items():
        np.testing.assert_allclose(other[key], values, err_msg=key)
    stored = load_model(tmp_path, models.NAME, kind=models.KIND, version=models.VERSION)
    assert "CC BY-SA 4.0" in stored.manifest["settings"]["licence"]
