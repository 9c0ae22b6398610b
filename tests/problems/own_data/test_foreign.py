"""Models that visitors bring: their readings, repetition by the script, refusals in one sentence."""

import io
import zipfile

import numpy as np
import pytest

import spcviz
from spcviz.engine.errors import ArgumentError
from spcviz.io.estimators import contents
from spcviz.io.zipped import MANIFEST, of_zip, to_zip
from spcviz.problems.own_data.model import cascades
from spcviz.problems.own_data.model import script as scripts
from spcviz.problems.own_data.model import template as templates
from spcviz.problems.own_data.model.examples import data_of, read_example
from spcviz.problems.own_data.model.files import found, read
from spcviz.problems.own_data.model.foreign import read_with
from spcviz.problems.own_data.page import live
from spcviz.store.archive import pack
from spcviz.store.errors import OWN_MODEL
from spcviz.store.manifest import check_arrays, make_manifest, manifest_bytes, npz_name
from tests.problems.own_data.test_model import run

TEMPLATE = "bias lower[0] ending2[0] word[-1]"


def features(sentences, template=TEMPLATE):
    return [templates.features_of(words, templates.read_template(template)) for words in sentences]


@pytest.fixture(scope="module")
def example():
    return read_example("ewt")


@pytest.fixture(scope="module", params=["perceptron", "crf", "cascade"])
def tagger(request, example):
    kinds = {
        "perceptron": lambda: spcviz.StructuredPerceptron(max_iter=2, random_state=0),
        "crf": lambda: spcviz.ChainCRF(max_iter=8),
        "cascade": lambda: spcviz.CascadeTagger(order=3, max_iter=2, random_state=0, fall_back=False),
    }
    return kinds[request.param]().fit(features(example.sentences[:60]), example.labels[:60])


def test_a_saved_model_reads_sentences_as_the_library_does(tagger, example, tmp_path):
    folder = spcviz.save(tagger, tmp_path / "mine").parent
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:  # as a user zips a folder
        for path in folder.iterdir():
            archive.write(path, f"mine/{path.name}")
    data = buffer.getvalue()
    brought = read("mine.zip", data)
    assert found(brought).endswith(f" of {TEMPLATE}, {len(data) / 1e6:.1f} MB")
    sentences, labels = example.sentences[60:90], example.labels[60:90]
    report = read_with(data, sentences, labels, seed=0, tolerance=0.05).report
    assert sorted([*report.dev, *report.test]) == list(range(30))
    held = [*report.dev.tolist(), *report.test.tolist()]
    X = features([sentences[i] for i in held])
    predicted = [label for tags in tagger.predict(X) for label in tags]
    assert [report.labels[k] for k in report.guess] == predicted
    shares = np.concatenate(tagger.predict_marginals(X))
    assert report.sure == pytest.approx(shares[np.arange(len(predicted)), report.guess], abs=1e-6)
    right = tagger.score(X, [labels[i] for i in held])
    assert (report.truth == report.guess).mean() == pytest.approx(right)
    reader = live.reader_in(data, tuple(level.tuned_alpha for level in report.levels))
    words = sentences[held[0]]
    trace = live.trace(reader.cascade, cascades.rows_of(reader, [words]), words, reader.labels)
    if isinstance(tagger, spcviz.CascadeTagger):
        assert [level.alpha for level in trace.levels[:-1]] == [level.alpha for level in tagger.levels_]
    assert [reader.labels[k] for k in trace.predictions[-1]] == predicted[: len(words)]


def test_the_script_repeats_what_a_brought_model_read(tagger, example, tmp_path):
    (tmp_path / "m.zip").write_bytes(to_zip(tagger))
    (tmp_path / "sentences.conllu").write_bytes(data_of("ewt"))
    report = read_with(to_zip(tagger), example.sentences, example.labels, seed=2, tolerance=0.05).report
    number = int(report.test[0])
    printed = run(scripts.of_model("sentences.conllu", (1, 3), "", "m.zip", 2, number), tmp_path)
    right = (report.truth == report.guess).mean()
    assert float(printed["tokens right"]) == pytest.approx(right, abs=1e-6)
    w = len(report.dev)
    answer = report.guess[report.starts[w] : report.starts[w + 1]]
    assert printed[f"sentence {number + 1}"] == " ".join(report.labels[k] for k in answer)


@pytest.fixture(scope="module")
def small(example):
    X, y = features(example.sentences[:30]), example.labels[:30]
    return spcviz.CascadeTagger(order=3, max_iter=1, random_state=0).fit(X, y)


def test_one_sentence_without_labels_is_tagged(small, example):
    report = read_with(to_zip(small), example.sentences[:1], [], seed=0, tolerance=0.05).report
    assert [small.classes_[k] for k in report.guess] == small.predict(features(example.sentences[:1]))[0]
    assert (report.truth == -1).all()
    assert [len(report.dev), len(report.test)] == [0, 1]


def test_labels_that_the_model_does_not_know_are_unknown(small, example):
    other = [["X9"] * len(tags) for tags in example.labels[:9]]
    report = read_with(to_zip(small), example.sentences[:9], other, seed=0, tolerance=0.05).report
    assert (report.truth == -1).all()


def other_version(tagger):
    """The same model, in a future version of the format."""
    arrays, about = contents(tagger)
    npz, out = pack(check_arrays(arrays)), io.BytesIO()
    manifest = make_manifest(OWN_MODEL, about | {"version": 2}, arrays, npz)
    with zipfile.ZipFile(out, "w") as archive:
        archive.writestr(MANIFEST, manifest_bytes(manifest))
        archive.writestr(npz_name(manifest), npz)
    return out.getvalue()


def parts(data):
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        return [archive.read(name) for name in archive.namelist()]


def changed(tagger, **fields):
    """A model with changed fields of its cascade, written as a stranger would."""
    other = of_zip(to_zip(tagger))
    other.cascade_ = other.cascade_._replace(**fields)
    return to_zip(other)


def poisoned(tagger):
    other = of_zip(to_zip(tagger))
    other.cascade_.levels[1].filter.weights[0, 0] = np.nan
    return to_zip(other)


def plain_dicts():
    X, y = [[{"w": "a"}, {"w": "b"}]] * 6, [["X", "Y"]] * 6
    return to_zip(spcviz.StructuredPerceptron(max_iter=1, random_state=0).fit(X, y))


def numbers():
    X, y = [np.eye(2)] * 6, [["X", "Y"]] * 6
    return to_zip(spcviz.StructuredPerceptron(max_iter=1, random_state=0).fit(X, y))


def values():
    X, y = [[{"lower[0]": 0.5}, {"lower[0]": 2.0}]] * 6, [["X", "Y"]] * 6
    return to_zip(spcviz.StructuredPerceptron(max_iter=1, random_state=0).fit(X, y))


def with_intercept():
    X, y = [[["lower[0]=a"], ["lower[0]=b"]]] * 6, [["X", "Y"]] * 6
    return to_zip(spcviz.StructuredPerceptron(max_iter=1, fit_intercept=True, random_state=0).fit(X, y))


def spender():
    tiers = spcviz.spending.FeatureTiers(["a", "b"], [[0], [1]], (0.0, 1.0))
    X, y = [np.eye(2)] * 12, [["X", "Y"]] * 12
    return to_zip(spcviz.BudgetedTagger(tiers, cv=2, random_state=0).fit(X, y))


BAD = {
    "of another version": (other_version, "version 2; this program reads 'estimator' 1"),
    "features of his own": (lambda _: plain_dicts(), "reads other features than this page makes of words"),
    "arrays": (lambda _: numbers(), "reads arrays of numbers"),
    "values": (lambda _: values(), "reads other features"),
    "an intercept": (lambda _: with_intercept(), "have bias: fit_intercept=False"),
    "no tagger": (lambda _: spender(), "holds a BudgetedTagger; this page takes StructuredPerceptron"),
    "the manifest alone": (lambda m: parts(to_zip(m))[0], "is half of a model; expected one .zip"),
    "the arrays alone": (lambda m: parts(to_zip(m))[1], "is half of a model; expected one .zip"),
    "damaged": (lambda m: to_zip(m)[:-900], "can be unpacked"),
    "NaN": (poisoned, "weights[0, 0] must be a number from -1e+100 to 1e+100, got nan"),
    "states": (lambda m: changed(m, n_states=900), "cascade.n_states is 900; classes has "),
    "levels": (lambda m: changed(m, levels=m.cascade_.levels[:1] * 9), "must be the figures of 8 filters"),
    "too many arcs": (lambda m: changed(m, max_arcs=-3), "cascade.max_arcs must be a whole number from 1"),
}


@pytest.mark.parametrize("name", BAD)
def test_a_model_that_cannot_be_used_is_one_sentence(name, small):
    make, what = BAD[name]
    with pytest.raises(ArgumentError, match=r"^m\.zip: ") as caught:
        read("m.zip", make(small))
    assert what in str(caught.value)
    assert "\n" not in str(caught.value)
