"""Training on a visitor's sentences: measurements, refusals, and repetition by the script."""

import ast
import subprocess
import sys
import zipfile
from io import BytesIO
from itertools import pairwise

import numpy as np
import pytest

import spcviz
from spcviz.engine.errors import ArgumentError
from spcviz.io.zipped import MANIFEST, of_zip, to_zip
from spcviz.problems.own_data.model import cascades, foreign, stored
from spcviz.problems.own_data.model import script as scripts
from spcviz.problems.own_data.model import template as templates
from spcviz.problems.own_data.model.budget import POLICIES, spend
from spcviz.problems.own_data.model.examples import data_of, read_example
from spcviz.problems.own_data.model.files import read
from spcviz.problems.own_data.model.training import MOST_TOKENS, Settings, deal, train
from spcviz.problems.own_data.page import downloads, live
from spcviz.shared.folders import MODELS, ROOT

N = 90


@pytest.fixture(scope="module")
def example():
    brought = read_example("ewt")
    return brought.sentences[:N], brought.labels[:N]


@pytest.fixture(scope="module", params=["perceptron", "crf", "cascade"])
def trained(request, example):
    settings = Settings(method=request.param, passes=3, seed=3)
    return settings, train(settings, *example)


def test_the_report_is_what_the_model_says_of_sentences_it_has_not_seen(trained, example):
    settings, outcome = trained
    report, (sentences, labels) = outcome.report, example
    tagger = of_zip(outcome.model)
    template = templates.read_template(settings.template)
    held = [*report.dev.tolist(), *report.test.tolist()]
    dealt = deal([len(sentence) for sentence in sentences], settings)
    assert not set(held) & set(dealt.train.tolist())
    X = [templates.features_of(sentences[i], template) for i in held]
    right = tagger.score(X, [labels[i] for i in held])
    assert right == pytest.approx((report.truth == report.guess).mean())
    marginals = np.concatenate(tagger.predict_marginals(X))
    assert report.sure == pytest.approx(marginals[np.arange(len(report.guess)), report.guess], abs=1e-6)


def test_a_filter_of_the_report_keeps_what_the_trace_keeps(trained, example):
    _, outcome = trained
    report, (sentences, labels) = outcome.report, example
    reader = live.reader_in(outcome.model, tuple(level.tuned_alpha for level in report.levels))
    for w, number in enumerate(report.test[:5].tolist()):
        words = sentences[number]
        truth = [reader.labels.index(label) if label in reader.labels else -1 for label in labels[number]]
        trace = live.trace(
            reader.cascade, cascades.rows_of(reader, [words]), words, reader.labels, truth=truth
        )
        for level, reported in zip(trace.levels, report.levels):
            points = reported.test.points[reported.test.starts[w] : reported.test.starts[w + 1]]
            assert len(points) == len(level.score)
            tau = level.best - (1 - level.alpha) * (level.best - level.mean)
            kept = level.max_marginal > tau + 1e-9
            assert (points > level.alpha)[kept].all()
            is_lost = not len(level.truth_arcs) or not (points > level.alpha)[level.truth_arcs].all()
            assert is_lost == (reported.test.event[w] <= level.alpha) or min(truth) < 0


def test_alphas_of_a_link_reach_the_trace(trained, example):
    _, outcome = trained
    reader = live.reader_in(outcome.model)
    words = example[0][int(outcome.report.test[0])]
    rows = cascades.rows_of(reader, [words])
    trace = live.trace(reader.cascade, rows, words, reader.labels, alphas=(0.9, None))
    assert trace.levels[0].alpha == 0.9
    assert len(trace.levels[1].score) < len(
        live.trace(reader.cascade, rows, words, reader.labels).levels[1].score
    )


def test_dealing_is_by_the_seed_and_within_limits():
    one, same, other = (deal([9] * 5000, Settings(seed=seed)) for seed in (0, 0, 1))
    assert one.train.tolist() == same.train.tolist() != other.train.tolist()
    assert MOST_TOKENS - 9 < 9 * len(one.train) <= MOST_TOKENS
    assert not set(one.dev.tolist()) & set(one.test.tolist())


@pytest.mark.parametrize(
    ("sentences", "labels", "said"),
    [
        ([["a"]] * 3, [["X"], ["Y"], ["X"]], "at least 12 sentences"),
        ([["a"]] * 30, [["X"]] * 30, "from 2 to 100 different labels; the file has 1"),
        ([["a"] * 30_000] * 12, [["X", "Y"] * 15_000] * 12, "The sentences are too long"),
    ],
)
def test_what_cannot_be_trained_on_is_said(sentences, labels, said):
    with pytest.raises(ArgumentError, match=said):
        train(Settings(method="perceptron"), sentences, labels)


@pytest.mark.parametrize("text", ["words[0]", "word[9]", "word[0]+word[1]+word[2]+word[3]", "", "bias " * 41])
def test_a_template_that_is_none_is_said(text):
    with pytest.raises(ValueError, match=r"A template"):
        templates.read_template(text)


def run(script, folder):
    """Output of a script that is run in its file's folder."""
    (folder / "your_data.py").write_text(script, encoding="utf-8")
    command = [sys.executable, "your_data.py"]
    done = subprocess.run(
        command,
        cwd=folder,
        env={"PYTHONPATH": str(ROOT), "HOME": str(folder.home())},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    return dict(line.split(": ", 1) for line in done.stdout.splitlines())


@pytest.mark.parametrize("name", ['x""" or print(1) #.txt', "\\", "a\n'b", "🦊" * 99, ""])
def test_a_name_of_a_file_stays_text_in_a_script(name):
    for script in (
        scripts.of_training(name, (1, 3), Settings(), 0),
        scripts.of_scores(name, "none", 0, 0.05, 9),
    ):
        tree = ast.parse(script)
        assert "print(1)" not in [ast.unparse(n) for n in ast.walk(tree) if isinstance(n, ast.Call)]
        read = [node.value for node in ast.walk(tree) if isinstance(node, ast.Constant)]
        assert name in read


def test_the_script_repeats_the_page(tmp_path):
    settings = Settings(method="perceptron", passes=3, seed=5)
    data = data_of("ewt")
    (tmp_path / "sentences.conllu").write_bytes(data)
    brought = read_example("ewt")
    outcome = train(settings, brought.sentences, brought.labels)
    number = int(outcome.report.test[0])
    printed = run(scripts.of_training("sentences.conllu", (1, 3), settings, number), tmp_path)
    right = (outcome.report.truth == outcome.report.guess).mean()
    assert float(printed["tokens right"]) == pytest.approx(right, abs=1e-6)
    w = len(outcome.report.dev)
    answer = outcome.report.guess[outcome.report.starts[w] : outcome.report.starts[w + 1]]
    assert printed[f"sentence {number + 1}"] == " ".join(outcome.report.labels[k] for k in answer)


@pytest.fixture
def scores_file(example):
    sentences, labels = example
    template = templates.read_template("word[0] ending2[0]")
    X = [templates.features_of(sentence, template) for sentence in sentences]
    tagger = spcviz.ChainCRF(max_iter=8).fit(X[:40], labels[:40])
    names = [str(label) for label in tagger.classes_]
    chosen = [i for i in range(40, N) if set(labels[i]) <= set(names)]
    tables = [np.log(marginals + 1e-6) for marginals in tagger.predict_marginals([X[i] for i in chosen])]
    file = BytesIO()
    np.savez(
        file,
        emissions=np.concatenate(tables),
        lengths=[len(table) for table in tables],
        labels=[label for i in chosen for label in labels[i]],
        label_names=names,
    )
    return file.getvalue()


@pytest.mark.parametrize("steps", ["gold", "none"])
def test_scores_of_another_model_are_measured_as_the_library_does(scores_file, steps, tmp_path):
    (tmp_path / "scores.npz").write_bytes(scores_file)
    brought = read("scores.npz", scores_file)
    look = foreign.look_at(brought.scores, steps, 1, 0.05)
    printed = run(scripts.of_scores("scores.npz", steps, 1, 0.05, foreign.MOST_ARCS), tmp_path)
    level = look.report.levels[0]
    assert float(printed["alpha"]) == pytest.approx(level.tuned_alpha, abs=1e-6)
    left = (level.test.points > level.tuned_alpha).sum() / level.test.n_columns.sum()
    assert float(printed["labels left a token"]) == pytest.approx(left, abs=1e-6)
    at = look.report.starts[len(look.report.dev)]
    right = (look.report.truth == look.report.guess)[at:].mean()
    assert float(printed["tokens right"]) == pytest.approx(right, abs=1e-6)
    cascade, rows = foreign.of_sequence(look, int(look.report.test[0]), 40)
    words = brought.sentences[int(look.report.test[0])]
    trace = live.trace(cascade, rows, words, look.report.labels)
    assert [look.report.labels[k] for k in trace.predictions[-1]] == [
        look.report.labels[k] for k in look.report.guess[at : at + len(words)]
    ]


def test_rules_of_bio_forbid_in_scores_and_in_the_script(tmp_path):
    rng = np.random.default_rng(0)
    labels = np.tile([1, 2, 0, 1], 12)
    emissions = rng.normal(size=(48, 3)) + 2 * np.eye(3)[labels]
    file, names = BytesIO(), ["O", "B-X", "I-X"]
    np.savez(file, emissions=emissions, lengths=[4] * 12, labels=labels, label_names=names)
    brought = read("s.npz", file.getvalue())
    assert foreign.steps_of(brought.scores, True) == ["bio", "gold", "none"]
    report = foreign.look_at(brought.scores, "bio", 0, 0.05).report
    for guess in report.guess.reshape(-1, 4).tolist():
        assert guess[0] != 2
        assert all(after != 2 or before in (1, 2) for before, after in pairwise(guess))
    (tmp_path / "s.npz").write_bytes(file.getvalue())
    printed = run(scripts.of_scores("s.npz", "bio", 0, 0.05, foreign.MOST_ARCS), tmp_path)
    level = report.levels[0]
    assert float(printed["alpha"]) == pytest.approx(level.tuned_alpha, abs=1e-6)
    left = (level.test.points > level.tuned_alpha).sum() / level.test.n_columns.sum()
    assert float(printed["labels left a token"]) == pytest.approx(left, abs=1e-6)


def test_a_model_goes_out_and_comes_back(trained, tmp_path, example):
    _, outcome = trained
    with zipfile.ZipFile(BytesIO(outcome.model)) as archive:
        archive.extractall(tmp_path)
    template = templates.read_template(Settings().template)
    X = [templates.features_of(sentence, template) for sentence in example[0][:5]]
    loaded, zipped = spcviz.load(tmp_path), of_zip(outcome.model)
    assert all(np.array_equal(a, b) for a, b in zip(loaded.predict(X), zipped.predict(X), strict=True))
    assert to_zip(zipped) == outcome.model
    assert read("model.zip", outcome.model).kind == "model"


def test_a_model_of_another_version_or_damaged_is_said(trained):
    _, outcome = trained
    for change, said in (
        (lambda text: text.replace(b'"version": 1', b'"version": 7'), "its digest of itself is wrong"),
        (lambda text: text[:-40], "is not a JSON object"),
    ):
        out = BytesIO()
        with zipfile.ZipFile(BytesIO(outcome.model)) as old, zipfile.ZipFile(out, "w") as new:
            for entry in old.infolist():
                data = old.read(entry)
                new.writestr(entry, change(data) if entry.filename == MANIFEST else data)
        with pytest.raises(ArgumentError, match=said):
            read("model.zip", out.getvalue())


def test_tables_hold_every_held_out_token_and_no_formula(trained, example):
    _, outcome = trained
    rows = downloads.write_tokens(outcome.report, [["=1+1"] * len(sentence) for sentence in example[0]])
    rows = rows.decode("utf-8-sig").splitlines()
    assert len(rows) == 1 + len(outcome.report.truth)
    assert "'=1+1" in rows[1]


def test_a_budget_buys_nothing_at_none_and_everything_at_all(example):
    bought = spend(Settings(), *example)
    assert bought.tiers == ("words", "endings", "context")
    assert [curve.key for curve in bought.curves] == list(POLICIES)
    for curve in bought.curves:
        assert curve.spent[0] == 0
        assert curve.spent[-1] == pytest.approx(1)
        assert curve.right[0] == bought.curves[0].right[0]
        assert curve.right[-1] == bought.curves[0].right[-1]
    batch = bought.batch
    sentences, labels = example
    assert [method.name for method in batch.methods] == ["fixed", *POLICIES]
    n_parts = sum(len(sentences[n]) for n in batch.chain_ids)
    assert batch.full_units == 2 * n_parts == batch.faults.shape[0] * 2
    everything = []
    for method in batch.methods:
        assert method.units.sum() <= batch.full_units
        now = list(method.start_readings)
        for chain, reading in zip(method.chain, method.readings):
            now[chain] = reading
        everything.append(now)
    assert all(now == everything[1] for now in everything[2:])  # with all bought, the order does not matter
    for n, truth in zip(batch.chain_ids.tolist(), batch.truths):
        assert len(truth) == len(sentences[n])
        assert len(set(zip(truth, labels[n]))) == len(set(labels[n]))


def test_a_budget_wants_two_kinds_of_features(example):
    with pytest.raises(ArgumentError, match="at least two kinds"):
        spend(Settings(template="bias word[0]"), *example)


def test_the_stored_model_is_what_training_makes():
    model = stored.load(MODELS)
    assert model.report.labels[0] == "ADJ"
    assert len(model.report.levels) == Settings().order
