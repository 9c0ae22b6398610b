"""A learning curve ends with the page's own model, and says what its last doubling shows."""

import numpy as np
import pytest

from spcviz.engine.errors import ArgumentError
from spcviz.problems.own_data.model import evaluation
from spcviz.problems.own_data.model.examples import read_example
from spcviz.problems.own_data.model.training import Settings, train
from spcviz.problems.own_data.page import text as say
from spcviz.problems.own_data.page.charts import learning_curve
from spcviz.problems.own_data.shown import Compared, LearningCurve
from spcviz.store.raw import pieces_of, value_of
from spcviz.web.figures.palette import LIGHT

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
