"""Precision, recall and F1 as seqeval counts them; intervals, baseline and paired tests.

A learning curve ends with the page's own model, and says what its last doubling shows.
"""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from spcviz.engine.errors import ArgumentError
from spcviz.problems.own_data.model import evaluation
from spcviz.problems.own_data.model.examples import read_example
from spcviz.problems.own_data.model.training import Settings, train
from spcviz.problems.own_data.page import text as say
from spcviz.problems.own_data.page.charts import learning_curve
from spcviz.problems.own_data.shown import Compared, LearningCurve
from spcviz.store.raw import pieces_of, value_of
from spcviz.web.figures.palette import LIGHT

LABELS = {
    "bio": ["O", "B-A", "I-A", "B-B", "I-B"],
    "bioes": ["O", "B-A", "I-A", "E-A", "S-A", "B-B", "E-B", "S-B"],
}


def pairs(labels):
    row = st.lists(st.tuples(st.sampled_from(labels), st.sampled_from(labels)), min_size=1, max_size=8)
    return st.lists(row, min_size=1, max_size=6)


@pytest.mark.parametrize("scheme", LABELS)
def test_counts_are_those_of_seqeval(scheme):
    metrics = pytest.importorskip("seqeval.metrics")

    @settings(max_examples=150, deadline=None)
    @given(pairs(LABELS[scheme]))
    def check(rows):
        gold, said = ([[pair[k] for pair in row] for row in rows] for k in (0, 1))
        if not any(label != "O" for row in gold for label in row):
            return
        whole, *kinds = evaluation.scores_of(evaluation.counts_of(gold, said))
        few = {"zero_division": 0}
        want = metrics.precision_score(gold, said, **few), metrics.recall_score(gold, said, **few)
        np.testing.assert_allclose((whole.precision, whole.recall), want, atol=1e-12)
        assert whole.f1 == pytest.approx(metrics.f1_score(gold, said, **few))
        report = metrics.classification_report(gold, said, output_dict=True, **few)
        for score in kinds:
            of = report[score.kind]
            assert score.n_gold == of["support"]
            np.testing.assert_allclose(
                (score.precision, score.recall, score.f1),
                (of["precision"], of["recall"], of["f1-score"]),
                atol=1e-12,
            )

    check()


def test_other_forms_count_the_same():
    gold, said = [["B-A", "I-A", "O", "B-B"]], [["B-A", "O", "O", "B-B"]]
    want = evaluation.scores_of(evaluation.counts_of(gold, said))[0][1:]
    turned = [
        [[label[2:] + "-" + label[0] if label != "O" else "O" for label in row] for row in rows]
        for rows in (gold, said)
    ]
    assert evaluation.scores_of(evaluation.counts_of(*turned))[0][1:] == want
    assert evaluation.scores_of(evaluation.counts_of([["B", "I", "O"]], [["B", "O", "O"]]))[0].n_right == 0


def test_labels_that_write_no_chunks_are_counted_one_by_one():
    from sklearn.metrics import precision_recall_fscore_support

    rng = np.random.default_rng(0)
    gold, said = (rng.choice(["N", "V", "D"], (20, 5)).tolist() for _ in range(2))
    whole, *kinds = evaluation.scores_of(evaluation.counts_of(gold, said))
    want = precision_recall_fscore_support(np.ravel(gold), np.ravel(said), labels=["D", "N", "V"])
    np.testing.assert_allclose([(k.precision, k.recall, k.f1, k.n_gold) for k in kinds], np.transpose(want))
    assert whole.f1 == np.mean(np.array(gold) == np.array(said))


def test_unknown_gold_counts_for_nothing():
    whole = evaluation.scores_of(evaluation.counts_of([["N", None, "V"]], [["N", "V", "N"]]))[0]
    assert (whole.n_gold, whole.n_answered, whole.n_right) == (2, 2, 1)


def test_intervals_hold_the_score_and_shrink_with_more_sentences():
    rng = np.random.default_rng(1)
    widths = []
    for n in (20, 500):
        gold = rng.choice(["N", "V"], (n, 6))
        said = np.where(rng.random((n, 6)) < 0.8, gold, "N")
        score = evaluation.scores_of(evaluation.counts_of(gold.tolist(), said.tolist()))[0]
        assert score.low <= score.f1 <= score.high
        widths.append(score.high - score.low)
        right, low, high = evaluation.share_interval((gold == said).ravel(), 6 * np.arange(n + 1))
        np.testing.assert_allclose((score.f1, score.low, score.high), (right, low, high), atol=0.02)
    assert widths[1] < widths[0] / 2


def test_the_most_frequent_tag_comes_from_training_alone():
    got = evaluation.most_frequent([["run", "run", "the"]], [["V", "N", "D"]], [["run", "new"]])
    assert got == [["N", "D"]]


def test_a_paired_test_finds_what_is_there_and_not_what_is_not():
    rng = np.random.default_rng(2)
    gold = rng.choice(["B-X", "O"], (150, 6)).tolist()

    def noisy(share):
        return [[label if rng.random() > share else "O" for label in row] for row in gold]

    good, bad = noisy(0.1), noisy(0.4)
    for one in evaluation.compare(gold, bad, good):
        assert one.p < 0.01
        assert one.low > 0
        assert one.second > one.first
    found = [one.p < 0.05 for _ in range(8) for one in evaluation.compare(gold, good, noisy(0.1))]
    assert sum(found) < len(found) / 2
    assert all(one.p == 1 and one.low == one.high == 0 for one in evaluation.compare(gold, good, good))


SETTINGS = Settings(method="perceptron", passes=4)


@pytest.fixture(scope="module")
def learned():
    example = read_example("ewt")
    return evaluation.learn_curve(SETTINGS, example.sentences, example.labels)


def test_the_last_point_is_the_page_s_model(learned):
    example = read_example("ewt")
    report = train(SETTINGS, example.sentences, example.labels).report
    last = learned.points[-1]
    assert (last.n_sentences, last.n_features) == (report.n_train, report.n_features)
    assert last.n_tokens == report.n_train_tokens
    assert last.right[0] == (report.truth == report.guess).mean()
    assert learned.n_held == len(report.truth)


def test_parts_grow_and_are_judged_alike(learned):
    sizes = [point.n_sentences for point in learned.points]
    assert sizes == [26, 52, 105, 210]
    assert all(a.n_features < b.n_features for a, b in zip(learned.points, learned.points[1:]))
    for point in learned.points:
        for value, low, high in (point.right, point.f1):
            assert 0 <= low <= value <= high <= 1
    test = learned.doubled[0]
    assert (test.first, test.second) == (learned.points[-2].right[0], learned.points[-1].right[0])


def test_it_comes_back_from_another_process_as_it_was(learned):
    body = b"".join(pieces_of(learned, LearningCurve))
    assert value_of(body, LearningCurve) == learned


def test_what_is_said_follows_from_the_interval(learned):
    def said(low, high):
        test = Compared("tokens right", 0.7, 0.75, low, high, 0.01)
        return say.describe_learning(learned._replace(doubled=(test,)))

    assert said(0.01, 0.09).startswith(
        "**More data would probably help:** with 210 sentences in place of 105, tokens right +5.0 points (+"
    )
    assert said(-0.01, 0.09).startswith("**It is not shown that more data would help:**")
    assert said(-0.09, -0.01).startswith("**It is not shown that more data would help:**")


def test_its_chart_has_every_point(learned):
    right = [100 * point.right[0] for point in learned.points]
    (line,) = learning_curve(learned, LIGHT).data  # tags write no chunks: F1 is the share of tokens
    np.testing.assert_allclose(line.y, right)
    chunked = learned._replace(points=tuple(p._replace(f1=(0.5, 0.4, 0.6)) for p in learned.points))
    data = learning_curve(chunked, LIGHT).data
    assert [trace.name for trace in data] == ["F1", "tokens right"]
    assert list(data[0].y) == [50.0] * 4
    np.testing.assert_allclose(data[1].y, right)


@pytest.mark.parametrize(
    ("sentences", "labels", "said"),
    [
        ([["a"]] * 40, [["X"]] * 40, "from 2 to 100 different labels; the file has 1"),
        ([["a", "b"]] * 5, [["X", "Y"]] * 5, "at least 12 sentences"),
        ([["a"] * 300] * 40, [[f"L{k}" for k in range(300)]] * 40, "the file has 300"),
    ],
)
def test_too_little_to_learn_is_said(sentences, labels, said):
    with pytest.raises(ArgumentError, match=said):
        evaluation.learn_curve(SETTINGS, sentences, labels)
