"""python-crfsuite's notebook with its import changed, and the same program with python-crfsuite itself."""

from collections import Counter

import pytest

import spcviz as sp
from spcviz.engine.errors import ArgumentError, ShapeError
from spcviz.sequences import pycrfsuite as ours
from spcviz.store.errors import StoreError
from tests.sequences.data import as_dicts, sentences

theirs = pytest.importorskip("pycrfsuite")
X, Y = sentences(80)
NAMED = as_dicts(X)
PARAMS = {"c1": 0.1, "c2": 1e-2, "max_iterations": 200, "feature.possible_transitions": True}


def trained(module, path, params=PARAMS):
    """A tagger by the notebook's own lines."""
    trainer = module.Trainer(verbose=False)
    for xseq, yseq in zip(NAMED[:60], Y[:60]):
        trainer.append(xseq, yseq)
    trainer.set_params(params)
    trainer.train(str(path))
    tagger = module.Tagger()
    tagger.open(str(path))
    return tagger


@pytest.fixture(scope="module")
def both(tmp_path_factory):
    folder = tmp_path_factory.mktemp("models")
    return trained(ours, folder / "ours.crfsuite"), trained(theirs, folder / "theirs.crfsuite")


def test_the_notebook_says_what_it_says_with_python_crfsuite(both):
    mine, yours = both
    pairs = [(mine.tag(x), yours.tag(x)) for x in NAMED]
    same = [a == b for one, other in pairs for a, b in zip(one, other, strict=True)]
    assert (
        sum(same) / len(same) > 0.98
    )  # both stop some 0.01 % above the optimum, and a few tokens are near ties
    for tagger in both:
        tagger.set(NAMED[61])
    assert mine.probability(pairs[61][1]) == pytest.approx(yours.probability(pairs[61][1]), abs=0.02)
    for label in yours.labels():
        assert mine.marginal(label, 0) == pytest.approx(yours.marginal(label, 0), abs=0.02)
    assert set(mine.labels()) == set(yours.labels())
    info = mine.info(), yours.info()
    best = [set(dict(Counter(one.transitions).most_common(3))) for one in info]
    assert len(best[0] & best[1]) >= 2
    assert all(weight > 0 for _, weight in Counter(info[0].state_features).most_common(3))


def test_parameters_have_crfsuites_names():
    for name, value in theirs.Trainer("lbfgs", verbose=False).get_params().items():
        trainer = ours.Trainer(verbose=False)
        trainer.set(name, value)
        assert trainer.get(name) == value
        assert trainer.help(name).endswith(".")
    assert set(ours.Trainer().params()) == set(theirs.Trainer("lbfgs", verbose=False).params())
    assert ours.Trainer("lbfgs", {"c2": 0.25}).get_params()["c2"] == 0.25
    with pytest.raises(
        ArgumentError, match=r"params must be among .*, got 'possible_states'; feature.possible_states\?"
    ):
        ours.Trainer().set_params({"possible_states": True})
    with pytest.raises(ArgumentError, match="params must be a dict"):
        ours.Trainer().set_params(["c1"])
    with pytest.raises(ArgumentError, match="algorithm must be lbfgs, got 'l2sgd'"):
        ours.Trainer("l2sgd")
    with pytest.raises(ArgumentError, match="type must be crf1d"):
        ours.Trainer().select("lbfgs", "tree")


def test_a_group_says_when_to_stop(tmp_path):
    trainer = ours.Trainer(params={"c2": 0.0, "max_iterations": 300}, verbose=False)
    for i, (x, y) in enumerate(zip(NAMED[:60], Y[:60])):
        trainer.append(x, y, i % 3)
    trainer.train(tmp_path / "m", holdout=2)
    assert len(trainer.crf_.dev_losses_) > 1
    with pytest.raises(ArgumentError, match=r"holdout must be one of several groups, got 7 of \[0, 1, 2\]"):
        trainer.train(tmp_path / "m", holdout=7)
    trainer.clear()
    with pytest.raises(ArgumentError, match="there must be a sequence to train on"):
        trainer.train(tmp_path / "m")


ITEMS = [
    [{"foo": {"bar": "baz", "spam": 0.5, "egg": ["x", "y"]}, "is": True, "not": False}],
    [["foo", "bar"], {"a": "b"}],
    [{b"foo": b"bar"}],
    [],
]


@pytest.mark.parametrize("tokens", ITEMS)
def test_items_are_crfsuites(tokens):
    named = [dict.fromkeys(t, 1.0) if isinstance(t, list) else t for t in tokens]
    wanted = [{k: v for k, v in item.items() if v} for item in theirs.ItemSequence(named).items()]
    assert ours.ItemSequence(tokens).items() == wanted
    assert len(ours.ItemSequence(tokens)) == len(tokens)


def test_what_is_wrong_is_refused_where_it_is_added():
    trainer = ours.Trainer(verbose=False)
    with pytest.raises(ShapeError, match="yseq has 1 labels; xseq has 2 tokens"):
        trainer.append([["a"], ["b"]], ["A"])
    for bad in ("A", {"A"}, {0: "A"}, 3):
        with pytest.raises(ArgumentError, match="yseq must be a list of labels"):
            trainer.append([["a"]], bad)
    with pytest.raises(ArgumentError, match=r"yseq\[0\] must be a string or a whole number, got 0.5"):
        trainer.append([["a"]], [0.5])
    for bad in ("a", {"a": 1}, b"a"):
        with pytest.raises(ArgumentError, match="xseq must be a list of tokens"):
            trainer.append(bad, ["A"])
    with pytest.raises(ArgumentError, match="group must be"):
        trainer.append([["a"]], ["A"], -1)
    with pytest.raises(AttributeError, match=r"logparser.*crf_\.n_iter_"):
        trainer.logparser  # noqa: B018
    with pytest.raises(AttributeError, match=r"call train\(model\) first"):
        trainer.crf_  # noqa: B018
    for bad in ([3], [{"a": None}], "foo"):
        with pytest.raises(ArgumentError):
            ours.ItemSequence(bad)


def test_only_a_folder_of_a_crf_is_opened(tmp_path, both):
    tagger = ours.Tagger()
    with pytest.raises(ArgumentError, match=r"a model must be open: call open\(name\) first"):
        tagger.tag(NAMED[0])
    trained(theirs, tmp_path / "theirs.crfsuite")
    with pytest.raises(ArgumentError, match="got CRFsuite's own file 'theirs"):
        tagger.open(tmp_path / "theirs.crfsuite")
    (tmp_path / "noise").write_bytes(b"\x00\xff" * 99)
    for name in ("nothing", "noise"):
        with pytest.raises((StoreError, ArgumentError)):
            tagger.open(tmp_path / name)
    sp.save(sp.StructuredPerceptron(random_state=0).fit(NAMED[:9], Y[:9]), tmp_path / "other")
    with pytest.raises(ArgumentError, match="a folder with a CRF, got one with a StructuredPerceptron"):
        tagger.open(tmp_path / "other")
    sp.save(both[0].crf, tmp_path / "again")
    with tagger.open(tmp_path / "again") as opened:
        assert opened.tag(NAMED[0]) == both[0].tag(NAMED[0])
    with pytest.raises(ArgumentError, match="a model must be open"):
        tagger.labels()
