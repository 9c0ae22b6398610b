"""Bad input to taggers: errors in X, y or a setting name their place; odd but valid input works."""

import numpy as np
import pytest
from scipy import sparse

import spcviz as sp
from spcviz.engine.errors import ArgumentError, ScoreError, ShapeError
from spcviz.sequences.encoding import encode
from tests.sequences.data import as_arrays, as_sparse, sentences

X, Y = sentences(30)
TAGGERS = {
    "perceptron": sp.StructuredPerceptron(random_state=0, max_iter=2),
    "crf": sp.ChainCRF(max_iter=5),
    "cascade": sp.CascadeTagger(random_state=0, max_iter=2),
}
every = pytest.mark.parametrize("tagger", TAGGERS.values(), ids=TAGGERS)


def spoiled(arrays, value, at=(2, 0, 1)):
    copies = [array.copy() for array in arrays]
    copies[at[0]][at[1:]] = value
    return copies


NAMED = [
    ("no list", 3, ArgumentError, "X must be a list of sequences, got 3"),
    ("a text", "the dog", ArgumentError, "X must be a list of sequences, got 'the dog'"),
    (
        "one array",
        np.zeros((3, 2)),
        ArgumentError,
        r"got one array of shape \(3, 2\) \(for a single sequence: \[X\]",
    ),
    ("one matrix", sparse.eye(3).tocsr(), ArgumentError, r"got one sparse matrix of shape \(3, 3\)"),
    ("no sequence", [], ArgumentError, "X must hold at least one token, got none"),
    ("empty sequences", [[], []], ArgumentError, "X must hold at least one token, got none"),
    (
        "a token that is a word",
        [["the", "dog"]],
        ArgumentError,
        r"X\[0\]\[0\] must be a dict or a list of strings, got 'the'",
    ),
    (
        "a sequence that is a word",
        [[["a"]], "dog"],
        ArgumentError,
        r"X\[1\] must be a list of tokens, got 'dog'",
    ),
    (
        "a number among strings",
        [[["a"], ["b", 3]]],
        ArgumentError,
        r"X\[0\]\[1\]\[1\] must be a string, got 3",
    ),
    (
        "a list among strings",
        [[["a"]], [["b", ["c"]]]],
        ArgumentError,
        r"X\[1\]\[0\]\[1\] must be a string, got \['c'\]",
    ),
    (
        "None for a value",
        [[{"w": None}]],
        ArgumentError,
        r"X\[0\]\[0\]\['w'\] must be a string, a number, a boolean",
    ),
    (
        "NaN for a value",
        [[{"w": 1.0}, {"w": float("nan")}]],
        ScoreError,
        r"X\[0\]\[1\] must have finite values, got nan",
    ),
    ("a number for a name", [[{3: 1.0}]], ArgumentError, r"X\[0\]\[0\] must have strings for keys, got 3"),
    (
        "None for a token",
        [[["a"], None]],
        ArgumentError,
        r"X\[0\]\[1\] must be a dict or a list of strings, got None",
    ),
]
NUMBERS = [
    ("NaN", spoiled(as_arrays(X), np.nan), ScoreError, r"X\[2\]\[0, 1\] must be finite, got nan"),
    ("infinity", spoiled(as_arrays(X), np.inf), ScoreError, r"X\[2\]\[0, 1\] must be finite, got inf"),
    (
        "NaN in csr",
        [*as_sparse(X)[:1], sparse.csr_matrix(spoiled(as_arrays(X), np.nan)[2])],
        ScoreError,
        r"X\[1\]\[0, 1\] must be finite, got nan",
    ),
    ("columns", [np.zeros((2, 3)), np.zeros((2, 4))], ShapeError, r"X\[1\] has 4 columns; X\[0\] has 3"),
    (
        "dimensions",
        [np.zeros((2, 3)), np.zeros(3)],
        ShapeError,
        r"X\[1\] has shape \(3,\); it needs \(tokens, features\)",
    ),
    ("ragged", [[[1.0, 2.0], [3.0]]], ShapeError, r"X\[0\] must have tokens of the same number of features"),
    (
        "mixed",
        [as_sparse(X)[0], as_arrays(X)[1]],
        ArgumentError,
        r"X\[1\] must be sparse as others are, got ndarray",
    ),
    ("complex", [np.zeros((2, 3), complex)], ArgumentError, r"X\[0\] must hold numbers"),
]


@every
@pytest.mark.parametrize(
    ("bad", "kind", "message"), [row[1:] for row in NAMED + NUMBERS], ids=[r[0] for r in NAMED + NUMBERS]
)
def test_bad_x_is_named_in_training(tagger, bad, kind, message):
    with pytest.raises(kind, match=message):
        tagger.fit(bad, Y)


@pytest.mark.parametrize(
    ("bad", "kind", "message"),
    [
        (Y[:-1], ShapeError, "y has 29 sequences; X has 30"),
        ([*Y[:3], [*Y[3], "NN"], *Y[4:]], ShapeError, r"y\[3\] has \d labels; X\[3\] has \d tokens"),
        ([*Y[:3], Y[3][:-1], *Y[4:]], ShapeError, r"y\[3\] has \d labels; X\[3\] has \d tokens"),
        ("NN", ArgumentError, "y must be a list of sequences of labels, got 'NN'"),
        (["NN"] * 30, ArgumentError, r"y\[0\] must be a sequence of labels, got 'NN'"),
        (
            [*Y[:1], [1] * len(Y[1]), *Y[2:]],
            ArgumentError,
            r"y\[1\]\[0\] must be a string as the first is, got 1",
        ),
        (
            [[0.5] * len(tags) for tags in Y],
            ArgumentError,
            r"y\[0\]\[0\] must be a string or a whole number, got 0.5",
        ),
        (
            [[True] * len(tags) for tags in Y],
            ArgumentError,
            r"y\[0\]\[0\] must be a string or a whole number, got True",
        ),
    ],
)
@every
def test_bad_y_is_named(tagger, bad, kind, message):
    with pytest.raises(kind, match=message):
        tagger.fit(X, bad)


@every
def test_an_unknown_label_is_only_for_partly_labelled_training(tagger):
    missing = [[None, *tags[1:]] for tags in Y]
    if isinstance(tagger, sp.ChainCRF | sp.CascadeTagger):
        tagger.fit(X, missing)
        missing = [[None] * len(tags) for tags in Y]
        with pytest.raises(ArgumentError, match="y must hold at least one label, got none"):
            tagger.fit(X, missing)
    else:
        with pytest.raises(ArgumentError, match=r"y\[0\]\[0\] must be .*, got None"):
            tagger.fit(X, missing)


@every
def test_bad_x_is_named_in_prediction(tagger):
    named, numbers = tagger.fit(X, Y), sp.StructuredPerceptron(random_state=0).fit(as_arrays(X), Y)
    with pytest.raises(ArgumentError, match="X must hold named features"):
        named.predict(as_arrays(X))
    with pytest.raises(ArgumentError, match="X must hold arrays of 13 columns, as in training, got named"):
        numbers.predict(X)
    with pytest.raises(ShapeError, match=r"X\[0\] has 4 columns; training has 13"):
        numbers.predict([np.zeros((2, 4))])
    with pytest.raises(ArgumentError, match=r"X\[0\]\[1\]\[0\] must be a string, got \['a'\]"):
        named.predict([[["b"], [["a"]]]])
    with pytest.raises(ScoreError, match=r"X\[1\]\[0\] must have finite values"):
        named.predict([[["b"]], [{"b": np.inf}]])


@every
def test_bad_allowed_labels_are_named(tagger):
    tagger.fit(X, Y)
    n = len(X[0])
    for bad, message in [
        ("NN", "allowed must be a list with an item for each sequence"),
        ([None, None], "allowed has 2 sequences; X has 1"),
        ([np.ones((n + 1, 3), bool)], rf"allowed\[0\] has shape \({n + 1}, 3\); X\[0\] needs \({n}, 3\)"),
        ([[None] * (n + 1)], rf"allowed\[0\] has {n + 1} tokens; X\[0\] has {n}"),
        ([[["XX"]] * n], r"allowed\[0\]\[0\] must name labels of training \(classes_\), got 'XX'"),
        ([["NN"] * n], r"allowed\[0\]\[0\] must be None or a list of labels, got 'NN'"),
        ([[[]] * n], r"allowed\[0\]\[0\] must allow at least one label, got none"),
    ]:
        with pytest.raises(ArgumentError, match=message):
            tagger.predict(X[:1], allowed=bad)


@every
def test_bad_weights_are_named(tagger):
    for bad, message in [
        ([1.0], "sample_weight has 1 entries; X has 30 sequences"),
        ([-1.0] + [1.0] * 29, r"sample_weight\[0\] must be at least 0, got -1.0"),
        ([np.nan] * 30, r"sample_weight\[0\] must be a finite score"),
    ]:
        with pytest.raises(ArgumentError, match=message):
            tagger.fit(X, Y, sample_weight=bad)
    tagger.fit(X, Y)
    with pytest.raises(ArgumentError, match="sample_weight must not be 0 for all"):
        tagger.score(X, Y, sample_weight=[0] * 30)
    with pytest.raises(ArgumentError, match="X must hold at least one token to be scored on"):
        tagger.score([], [])


@pytest.mark.parametrize(
    ("tagger", "settings", "message"),
    [
        ("perceptron", {"max_iter": 0}, "max_iter must be a whole number from 1"),
        ("perceptron", {"min_count": 1.5}, "min_count must be a whole number"),
        ("perceptron", {"class_weight": {"XX": 1}}, "class_weight must name labels of y, got 'XX'"),
        ("perceptron", {"class_weight": {"NN": -1}}, r"class_weight\['NN'\] must be a number from 0"),
        ("perceptron", {"class_weight": 3}, "class_weight must be a dict, 'balanced' or None, got 3"),
        ("perceptron", {"constraints": "iobx"}, "constraints must be one of bio, iob1, bioes, a function"),
        (
            "perceptron",
            {"constraints": "bio"},
            r"constraints='bio': labels must be O or like B-x, I-x, E-x, S-x, got 'DT'",
        ),
        ("crf", {"c1": -1}, "c1 must be a number from 0"),
        ("crf", {"c2": "x"}, "c2 must be a number from 0"),
        ("crf", {"max_iter": 0}, "max_iter must be a whole number from 1"),
        ("crf", {"tol": np.nan}, "tol must be a number from 0"),
        ("cascade", {"order": 1}, "order must be a whole number from 2 to 12"),
        ("cascade", {"tolerance": 2}, "tolerance must satisfy 0 <= tolerance <= 1"),
        ("cascade", {"tolerance": (0.1,)}, "tolerance must be one number or 2 of them"),
        ("cascade", {"tolerance_kind": "token"}, "tolerance_kind must be one of example, position"),
        ("cascade", {"cv": 31}, "cv must be at most the 30 sequences, got 31"),
    ],
)
def test_bad_settings_are_named(tagger, settings, message):
    estimator = type(TAGGERS[tagger])(**settings)
    with pytest.raises(ArgumentError, match=message):
        estimator.fit(X, Y)


@every
def test_odd_input_works(tagger):
    tagger.fit(X, Y)
    assert tagger.predict([]) == []
    assert list(tagger.predict([[], X[0], []])) == [
        [],
        tagger.predict(X[:1])[0],
        [],
    ]
    unseen = tagger.predict([[["never"], []], [[{}.get("x", "b")], []]])  # ignored; a token may have none
    assert [len(labels) for labels in unseen] == [2, 2]
    assert tagger.score(X[:1], [["XX"] * len(X[0])]) == 0.0  # labels that training has not seen are wrong
    long = tagger.predict([[["b"]] * 10_000])[0]
    assert len(long) == 10_000
    shares = tagger.predict_marginals([[["b"]] * 10_000])[0]
    assert np.allclose(shares.sum(axis=1), 1.0)


@every
def test_unicode_is_kept(tagger):
    words, tags = ["Füße", "走る", "🙂", "a\nb", "", "i̇"], ["名詞", "Ř", "名詞", "Ř", "名詞", "Ř"]
    data = [[[word], [word, "x"]] for word in words] * 3
    y = [[tag, tag] for tag in tags] * 3
    tagger.fit(data, y)
    again = type(tagger).from_state(tagger.to_state())
    assert list(again.predict(data)) == y
    assert list(again.feature_names_in_) == list(tagger.feature_names_in_)


@pytest.mark.parametrize("name", ["perceptron", "crf"])
def test_one_sentence_one_tag_is_enough(name):
    tagger = type(TAGGERS[name])().fit([[["a"], ["b"]]], [["NN", "NN"]])
    assert tagger.predict([[["c"]] * 3])[0] == ["NN"] * 3
    assert tagger.predict_marginals([[["c"]]])[0].tolist() == [[1.0]]
    empty_first = type(TAGGERS[name])().fit([[], [["a"], []], [[]]], [[], ["A", "B"], ["B"]])
    assert empty_first.predict([[["a"], []]])[0] == ["A", "B"]
    no_features = type(TAGGERS[name])().fit([[[], []], [[]]], [["A", "B"], ["A"]])
    assert no_features.n_features_in_ == 0
    assert len(no_features.predict([[[], []]])[0]) == 2


def test_a_cascade_wants_as_many_sequences_as_parts_and_a_thousand_labels():
    with pytest.raises(ArgumentError, match="cv must be at most the 1 sequences, got 3"):
        sp.CascadeTagger().fit([[["a"]]], [["NN"]])
    one_tag = sp.CascadeTagger(random_state=0).fit([[["a"], ["b"]]] * 4, [["NN", "NN"]] * 4)
    assert one_tag.predict([[["c"]]])[0] == ["NN"]
    with pytest.raises(ArgumentError, match="y must hold at most 1000 labels for a cascade, got 1001"):
        sp.CascadeTagger().fit([[["a"]] * 1001], [list(range(1001))])


def test_values_of_a_cascade_are_laid_out_or_refused(monkeypatch):
    from spcviz.sequences import lattices

    halves = [0.5 * array for array in as_sparse(X)]
    tagger = sp.CascadeTagger(random_state=0).fit(halves, Y)
    dense = sp.CascadeTagger(random_state=0).fit([array.toarray() for array in halves], Y)
    assert list(tagger.predict(halves)) == list(dense.predict([h.toarray() for h in halves]))
    monkeypatch.setattr(lattices, "MAX_DENSE", 10)
    with pytest.raises(ArgumentError, match="X must hold only 0 and 1 for a cascade, or at most 10 values"):
        sp.CascadeTagger().fit(halves, Y)


def test_sparse_matrices_with_room_to_spare_are_read_as_those_without():
    matrix = sparse.csr_matrix(np.array([[0.0, 2.0, 0.0], [1.0, 0.0, 3.0]]))
    roomy = matrix.copy()
    roomy.data, roomy.indices = np.r_[roomy.data, 9.0, 9.0], np.r_[roomy.indices, 0, 0].astype(np.int32)
    rows = encode([roomy, sparse.csr_matrix((0, 3)), matrix], None, 3).rows
    assert rows.start.tolist() == [0, 1, 3, 4, 6]
    assert rows.index.tolist() == [1, 0, 2] * 2
    assert rows.values.tolist() == [2.0, 1.0, 3.0] * 2
    assert len(roomy.data) == 5  # the caller's matrix is unchanged


@pytest.mark.parametrize("of_numbers", [True, False])
def test_a_data_frame_is_named(of_numbers):
    frame = pytest.importorskip("pandas").DataFrame({"w": [1, 2] if of_numbers else ["a", "b"]})
    with pytest.raises(
        ArgumentError, match=r"X must be a list of sequences, got a DataFrame of shape \(2, 1\)"
    ):
        sp.ChainCRF().fit(frame, [["N", "V"]])


def test_half_an_emoji_is_kept(tmp_path):
    """Cut texts and JSON of other tools have lone surrogates, which strict UTF-8 has no bytes for."""
    fitted = sp.ChainCRF(c2=0.1).fit([[{"w": "\ud83d"}, {"w": "b"}]], [["N\ude00", "V"]])
    sp.save(fitted, tmp_path / "model")
    again = sp.load(tmp_path / "model")
    assert list(again.vocabulary_) == ["w=\ud83d", "w=b"]
    assert again.predict([[{"w": "\ud83d"}]]) == fitted.predict([[{"w": "\ud83d"}]]) == [["N\ude00"]]


SWITCHES = [
    (sp.ChainCRF, "all_possible_states"),
    (sp.ChainCRF, "all_possible_transitions"),
    (sp.ChainCRF, "warm_start"),
    (sp.StructuredPerceptron, "warm_start"),
    (sp.StructuredSVM, "warm_start"),
    (sp.CascadeTagger, "fall_back"),
]


@pytest.mark.parametrize(("kind", "name"), [s for s in SWITCHES if s[1] in s[0]().get_params()])
@pytest.mark.parametrize("value", ["False", -1, 0.5, [], np.ones(2)], ids=repr)
def test_a_switch_is_on_or_off(kind, name, value):
    with pytest.raises(ArgumentError, match=f"{name} must be True or False, got"):
        kind(**{name: value}).set_params(max_iter=1).fit(X, Y)


@every
@pytest.mark.parametrize("value", ["yes", -1, 1.5], ids=repr)
def test_verbose_is_a_number(tagger, value):
    with pytest.raises(ArgumentError, match="verbose must be a whole number from 0"):
        type(tagger)(verbose=value, max_iter=1).fit(X, Y)


def test_what_only_partial_fit_asks_is_refused_by_fit_too():
    for name, bad in (("random_state", "x"), ("learning_rate", -1)):
        with pytest.raises(ArgumentError, match=name):
            sp.ChainCRF(max_iter=1, **{name: bad}).fit(X, Y)
