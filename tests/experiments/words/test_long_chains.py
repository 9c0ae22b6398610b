"""Long chains: joined from examples, level scores against exact max-marginals, when stopping early pays."""

import json

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from experiments.words import quiescence
from spcviz.engine.chains import chain
from spcviz.engine.chains.quiescent import quiet_messages, ripple
from spcviz.learning.cascade.online import Model
from spcviz.problems.tagging.data.corpora import TaggedCorpus, words_of
from spcviz.problems.tagging.model.features import feature_numbers
from spcviz.problems.tagging.model.stored import load_tagger
from spcviz.problems.words.model import long_chains
from spcviz.problems.words.model.long_chains import ChainExamples, Setting, compare_updates, join_chains
from spcviz.registry.problem import Run
from spcviz.shared import folders

N_STATES = 4
LEVEL = Setting(1e-9, is_level=True)


def source(seed, rise=0.0):
    """Eight examples of 2 to 7 positions; a purchase adds noise, and `rise` to every state."""
    rng = np.random.default_rng(seed)
    starts = np.concatenate([[0], np.cumsum(rng.integers(2, 8, 8))])
    before = rng.normal(size=(starts[-1], N_STATES))
    scores = np.stack([before, before + rng.normal(size=before.shape) + rise], axis=1)
    return ChainExamples(scores, rng.normal(size=(N_STATES, N_STATES)), starts)


def test_chains_are_examples_one_after_the_other():
    examples = source(0)
    rows = long_chains.rows_of_chain(examples.starts, 40, np.random.default_rng(1))
    jumps = np.flatnonzero(np.diff(rows) != 1)
    assert set(rows[jumps + 1]) <= set(examples.starts[:-1])
    assert set(rows[jumps] + 1) <= set(examples.starts[1:])
    first_lap = rows[: examples.starts[-1]]
    assert sorted(first_lap) == list(range(examples.starts[-1]))
    chains = join_chains(examples, 12, 5, 3, np.random.default_rng(2))
    assert chains.scores.shape == (5, 12, 2, N_STATES)
    assert chains.changed.shape == (5, 3)
    assert chains.changed.max() < 12


@pytest.mark.parametrize("setting", [Setting(0.0), LEVEL, Setting(0.3), Setting(0.3, by_margin=True)])
@pytest.mark.parametrize("seed", range(3))
def test_errors_are_those_of_the_engine_s_own_update(setting, seed):
    chains = join_chains(source(seed), 15, 4, 6, np.random.default_rng(seed))
    updates = compare_updates(chains, setting)
    scale = "margin" if setting.by_margin else "range"
    for c, n in np.ndindex(*chains.changed.shape):
        p = chains.changed[c, n]
        unary, table = chains.scores[c, :, 0].copy(), chains.tables[0]
        before = quiet_messages(unary, table)
        through = (before.forward + before.backward)[p]
        unary[p] = chains.scores[c, p, 1]
        exact = chain.max_marginals(unary, table).unary
        if setting.is_level:
            unary[p] -= (through - chains.scores[c, p, 0] + chains.scores[c, p, 1]).max() - through.max()
        done = ripple(before, unary, table, int(p), tolerance=setting.tolerance, scale=scale)
        ours = done.messages.forward + done.messages.backward
        assert (updates.first[c, n], updates.last[c, n]) == (done.first, done.last)
        assert updates.messages[c, n] == done.n_messages
        assert updates.wrong[c, n] == (ours.argmax(axis=1) != exact.argmax(axis=1)).sum()
        off = np.abs((ours - ours.max(axis=1, keepdims=True)) - (exact - exact.max(axis=1, keepdims=True)))
        spread = exact.max(axis=1) - exact.min(axis=1)
        assert updates.off[c, n] == pytest.approx((off.max(axis=1) / spread).max(), abs=1e-12)


@pytest.mark.parametrize("length", [1, 2, 30, 200])
def test_level_scores_are_exact_and_come_to_rest(length):
    chains = join_chains(source(1, rise=50.0), length, 6, 8, np.random.default_rng(3))
    exact, level, printed = (
        compare_updates(chains, setting) for setting in (Setting(0.0), LEVEL, Setting(0.5))
    )
    for updates in (exact, level):
        assert updates.wrong.sum() == 0
        assert_allclose(updates.off, 0.0, atol=1e-9)
    assert (exact.messages == length).all()
    assert (level.messages <= exact.messages).all()
    if length == 200:
        assert level.messages.mean() < 20
        # A constant rise never comes to rest under the printed rule.
        assert_array_equal(printed.messages, exact.messages)


@pytest.mark.parametrize("setting", [Setting(0.0), LEVEL, Setting(0.3), Setting(0.3, by_margin=True)])
def test_what_the_clock_sees_is_what_was_compared(setting):
    chains = join_chains(source(4), 25, 3, 6, np.random.default_rng(1))
    updates = compare_updates(chains, setting)
    reached = np.stack([updates.first, updates.last], axis=-1)
    nothing = np.stack([chains.changed, chains.changed - 1], axis=-1)
    saved = long_chains.fill_all(chains)
    copies = tuple(messages.copy() for messages in saved)

    def passed(what, where):
        return long_chains._repeat(chains, where, what, setting, saved, copies)

    assert passed(long_chains._UPDATE, reached) == updates.messages.sum()
    assert passed(long_chains._UNDO, reached) == 0
    for before, after in zip(saved, copies, strict=True):
        assert_array_equal(before, after)  # all changes are undone
    assert passed(long_chains._ANEW, nothing) == 2 * 25 * chains.changed.size
    last = chains.scores[0, :, 0].copy()
    last[chains.changed[0, -1]] = chains.scores[0, chains.changed[0, -1], 1]
    assert_allclose(copies[0][0] + copies[1][0], chain.max_marginals(last, chains.tables[0]).unary)


def test_what_is_undone_leaves_messages_as_they_were():
    chains = join_chains(source(2), 20, 3, 5, np.random.default_rng(0))
    again = chains._replace(changed=np.concatenate([chains.changed, chains.changed], axis=1))
    updates = compare_updates(again, Setting(0.4))
    for values in updates:
        assert_array_equal(values[:, :5], values[:, 5:])
    assert (long_chains.anew_us(chains, 3) > 0).all()
    turns = long_chains.update_us(chains, Setting(0.0), 3)
    assert turns.shape == (3,)
    assert np.isfinite(turns).all()


def test_step_table_holds_2_grams_of_states_alone():
    code = lambda *symbols: sum(s << (3 * i) for i, s in enumerate(reversed(symbols)))  # noqa: E731
    end = N_STATES + 1
    keys = np.array([code(1, 2), code(4, 4), code(2, end), code(1, 2, 3), code(3)])
    order = np.argsort(keys)
    values = np.array([5.0, 7.0, 9.0, 11.0, 13.0])
    table = quiescence.step_table(Model(np.zeros((1, N_STATES)), keys[order], values[order]))
    want = np.zeros((N_STATES, N_STATES))
    want[0, 1], want[3, 3] = 5.0, 7.0
    assert_array_equal(table, want)


def rows(us_by_length, q=0.5, wrong=0.0):
    """Rows of one kind: exact takes one µs per position, anew four times that."""
    out = []
    for length, us in us_by_length.items():
        common = {"data": "letters", "length": length, "updates_with_wrong_labels": wrong}
        common |= {"updates": 10, "messages": 3.0}
        for method, tolerance, taken in (
            ("anew", None, 4 * length), ("exact", 0.0, length), ("printed", q, us),
        ):  # fmt: skip
            out.append(
                common
                | {"method": method, "q": tolerance, "us": float(taken), "us_turns": [float(taken)] * 3}
            )
    return out


def test_the_length_from_which_on_it_pays():
    (payoff,) = quiescence.summary(rows({10: 20, 40: 20, 160: 20}, wrong=2.0))["letters"].values()
    assert payoff["pays_from"] == pytest.approx(20.0)
    assert payoff["times_faster"] == 8.0
    assert payoff["times_faster_turns"] == [8.0] * 3
    assert payoff["updates_with_wrong_labels"] == 2.0
    (never,) = quiescence.summary(rows({10: 5, 40: 80}))["letters"].values()
    assert never["pays_from"] is None
    # Half the time of `anew`, where that is the cheaper exact update.
    (half,) = quiescence.summary(
        [
            row | ({"us": row["us"] / 4, "us_turns": [row["us"] / 4] * 3} if row["method"] == "anew" else {})
            for row in rows({10: 6, 40: 6})
        ]
    )["letters"].values()
    assert half["pays_from"] == pytest.approx(12.0)


@pytest.fixture(scope="module")
def result():
    with pytest.MonkeyPatch.context() as patch:
        patch.delenv("SPCVIZ_DATA", raising=False)
        patch.setattr(quiescence, "LENGTHS", (8, 30))
        patch.setattr(quiescence, "COURSE_LENGTHS", (30,))
        yield quiescence.result(Run("quiescence", quick=True))


def test_the_result_without_the_treebank(result):
    json.dumps(result)
    assert "text_ud_ewt" in result["skipped"]["tags"]
    assert {row["data"] for row in result["rows"]} == {"letters"}
    at = {(row["method"], row["q"], row["length"]): row for row in result["rows"]}
    assert at["exact", 0.0, 30]["messages_share"] == 50.0
    assert at["level", 1e-9, 30]["messages_share"] < 25
    assert at["level", 1e-9, 30]["updates_with_wrong_labels"] == 0
    assert [fold["fold"] for fold in result["fold_rows"]] == ["letters", "courses"]


def test_courses_spend_what_other_words_say(result):
    courses = {(row["method"], row["q"], row["length"]): row for row in result["courses"]}
    exact = [row for key, row in courses.items() if key[0] == "exact"]
    assert [row["length"] for row in exact][1:] == [30]
    for row in result["courses"]:
        assert 0 <= row["features_share"] <= 100
        assert row["us_policy"] < row["us"]
        assert row["us_fast"] < row["us"]
    assert exact[1]["messages"] > courses["printed", 0.5, 30]["messages"]
    assert set(result["courses_summary"]) == {
        "printed 0.1", "printed 0.25", "printed 0.5", "margin 0.25", "margin 0.5",
    }  # fmt: skip


def test_tags_change_by_what_is_not_the_word_itself():
    words = words_of(
        "The old man who lives in the small house near the river said he would not sell it. " * 2
    )
    words = (*words, *words[:5])
    lengths = np.array([len(words) - 5, 5])
    corpus = TaggedCorpus(tuple(words), np.zeros(len(words), dtype=np.int64), lengths, ("X",))
    tagged = quiescence.tag_source(folders.MODELS, corpus)
    assert tagged.starts.tolist() == [0, lengths[0]]  # five words are no long sentence
    tagger = load_tagger(folders.MODELS).whole()
    assert tagged.scores.shape == (lengths[0], 2, len(tagger.tag_set))
    numbers = feature_numbers(tagger.vocabulary, corpus.words, corpus.lengths)
    weights = tagger.cascade.levels[1].filter.weights.astype(float)
    for known, scores in ((numbers[7], tagged.scores[7, 1]), (numbers[7, :2], tagged.scores[7, 0])):
        assert_allclose(scores, sum(weights[f] for f in known if f >= 0))
    assert tagger.tag_set[tagged.scores[0, 1].argmax()] == "DT"
