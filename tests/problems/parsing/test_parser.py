"""Features, the perceptron and its scores: hashing, learning, and scores of a state."""

import numpy as np
import pytest

from spcviz.engine.errors import ArgumentError
from spcviz.problems.parsing.data import gallery
from spcviz.problems.parsing.data.treebank import encode
from spcviz.problems.parsing.model import features, parser
from tests.oracles import trees_of_words as oracle


def row_of(sentences, w, d, template, longest=None):
    """Features of the arcs into word d of sentence w, head by head: {h: tuple}."""
    codes = sentences.codes[sentences.starts[w] : sentences.starts[w + 1]]
    out, counts = (
        np.zeros((len(codes), features.N_FEATURES[1]), dtype=np.int32),
        np.zeros(len(codes), np.int64),
    )
    features.codes_of_row(codes, d, template, parser.no_limits() if longest is None else longest, out, counts)
    return {h: tuple(out[h, : counts[h]]) for h in range(len(codes))}


def test_an_arc_has_features_of_its_own(sentences):
    cheap, full = (row_of(sentences, 0, 2, template) for template in (features.CHEAP, features.FULL))
    assert cheap[2] == full[2] == ()  # no arc from a word to itself
    for row, most in ((cheap, features.N_FEATURES[0]), (full, features.N_FEATURES[1])):
        arcs = [codes for h, codes in row.items() if h != 2]
        assert all(0 < len(arc) <= most and min(arc) >= 0 and max(arc) < features.N_WEIGHTS for arc in arcs)
        assert len(set(arcs)) == len(arcs)
    assert all(len(codes) == 8 for h, codes in cheap.items() if h != 2)
    assert not set(cheap[1]) & set(full[1])


def test_tags_alone_do_not_see_words():
    one, other = (encode([[a, "b", "c"]], [["A", "B", "A"]], ("A", "B")) for a in ("dog", "cat"))
    assert row_of(one, 0, 2, features.CHEAP) == row_of(other, 0, 2, features.CHEAP)
    assert row_of(one, 0, 2, features.FULL)[3] == row_of(other, 0, 2, features.FULL)[3]
    assert row_of(one, 0, 2, features.FULL)[1] != row_of(other, 0, 2, features.FULL)[1]


def test_tags_between_count_and_distance_counts():
    far = encode([["a"] * 5], [["A", "B", "A", "C", "A"]], ("A", "B", "C"))
    row = row_of(far, 0, 1, features.FULL)
    assert [len(row[h]) - len(row[2]) for h in (3, 4, 5)] == [1, 2, 3]  # B; B, A; B, A, C
    assert row[0] != row[3]


def test_length_dictionary_keeps_what_training_has(sentences):
    longest = parser.longest_arcs(sentences)
    for w in range(len(sentences.starts) - 1):
        for d in range(1, sentences.starts[w + 1] - sentences.starts[w]):
            row = row_of(sentences, w, d, features.CHEAP, longest)
            assert row[sentences.heads[sentences.starts[w] + d]]
            assert row[0]
            assert row[d - 1]
    assert (longest[:, 0] > 1000).all()
    far = encode([["x"] * 40], [["A", *["D"] * 39]], ("A", "D"))
    assert not row_of(far, 0, 40, features.CHEAP, longest)[1]


def test_the_perceptron_learns_its_sentences(trained, world):
    n = world.shape[0]
    wrong = [world.loss_of(world.read(np.full(n, tier))) / n for tier in (0, 1)]
    assert wrong[1] < 0.1
    assert wrong[0] < 0.35
    assert trained.weights.dtype == np.int8


def test_scores_of_a_state_are_rows_of_all_scores(trained, sentences):
    every = parser.score(trained, sentences)
    tiers = np.random.default_rng(1).integers(0, 2, len(sentences.words) - len(sentences.starts) + 1)
    blank = parser.Scored(np.full_like(every.squares, 7.0), every.at)
    parser.score_states(trained, sentences, tiers, blank, both=False)
    for w in range(len(sentences.starts) - 1):
        n = sentences.starts[w + 1] - sentences.starts[w]
        for d in range(1, n):
            t = tiers[sentences.starts[w] - w + d - 1]
            row = slice(every.at[w] + d * n, every.at[w] + (d + 1) * n)
            np.testing.assert_array_equal(blank.squares[t, row], every.squares[t, row])
            assert (blank.squares[1 - t, row] == 7).all()
            wanted = np.zeros(n)
            for tier in range(t + 1):  # a bought word keeps the score of its tags
                for h, codes in row_of(sentences, w, d, tier).items():
                    known = trained.weights[tier][list(codes)].astype(int).sum() * trained.steps[tier]
                    wanted[h] += known if codes else -np.inf
            np.testing.assert_allclose(every.squares[t, row], wanted)


def test_what_was_scored_by_tags_is_kept_when_a_word_is_bought(trained, sentences):
    """The full template adds features to those of tags: their weights do not change scores by tags."""
    rest = trained._replace(weights=np.stack([trained.weights[0], 0 * trained.weights[1]]))
    squares = parser.score(rest, sentences).squares
    np.testing.assert_array_equal(squares[0], squares[1])
    np.testing.assert_array_equal(squares[0], parser.score(trained, sentences).squares[0])
    assert (parser.score(trained, sentences).squares[1] != squares[1]).any()


def test_own_sentences_are_trees():
    sentences = gallery.own_sentences()
    assert len(sentences) >= 20
    assert len({s.key for s in sentences}) == len({s.words for s in sentences}) == len(sentences)
    for sentence in sentences:
        assert len(sentence.words) == len(sentence.heads)
        assert (sentence.heads == 0).sum() == 1
        assert oracle.is_tree(sentence.heads.tolist())
    assert sum(not oracle.is_projective(s.heads.tolist()) for s in sentences) >= 2


def test_an_unknown_corpus_is_refused():
    with pytest.raises(ArgumentError, match="data must be one of ewt, wsj, got 'télé'"):
        parser.settings_for("télé")
