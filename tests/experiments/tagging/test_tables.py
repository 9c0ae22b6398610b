"""Table 4.2 end to end on sixty made-up sentences: what is kept, timed, merged, stored."""

import shutil
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from experiments.tagging import reproduce as tagging_tables
from experiments.tagging import times as tagging_times
from spcviz.engine.errors import ArgumentError
from spcviz.learning.cascade.cascade import Cascade, decode_examples
from spcviz.problems.tagging.data.corpora import TaggedCorpus
from spcviz.problems.tagging.model import cascade as experiment
from spcviz.problems.tagging.model import settings as chosen_settings
from spcviz.problems.tagging.model import stored as tagging_models
from spcviz.problems.tagging.model.features import feature_codes, numbers_of, vocabulary
from spcviz.problems.tagging.paper import charts as shown
from spcviz.registry.problem import Run
from spcviz.shared.linear import narrow, wide, with_models
from spcviz.shared.result_files import differences
from spcviz.shared.work.disk_cache import tree_of
from spcviz.store import StoreError, verify_model

LEXICON = {
    "DT": ["the", "a", "this"],
    "JJ": ["old", "green", "light"],
    "NN": ["man", "saw", "light", "dog", "can"],
    "VBD": ["saw", "left", "liked"],
    ".": ["."],
}
TAG_SET = tuple(sorted(LEXICON))
SEARCHED = chosen_settings.SEARCHED


def corpus_of(rng, n):
    sentences = []
    for _ in range(n):
        noun = ["DT", *["JJ"] * int(rng.integers(2)), "NN"]
        sentences.append([*noun, "VBD", *noun, "."])
    tags = [tag for sentence in sentences for tag in sentence]
    words = tuple(LEXICON[tag][rng.integers(len(LEXICON[tag]))] for tag in tags)
    lengths = np.array([len(sentence) for sentence in sentences], dtype=np.int64)
    return TaggedCorpus(words, np.array([TAG_SET.index(tag) for tag in tags]), lengths, TAG_SET)


@pytest.fixture(scope="module")
def small():
    rng = np.random.default_rng(0)
    corpus = {"train": corpus_of(rng, 60), "dev": corpus_of(rng, 10), "test": corpus_of(rng, 140)}
    codes = {name: feature_codes(part.words, part.lengths, "full") for name, part in corpus.items()}
    known = vocabulary("full", codes["train"], 1)
    tables = {name: experiment.rows_of(numbers_of(known, c), len(known.codes)) for name, c in codes.items()}
    return experiment.Prepared(corpus, known, tables)


def settings_for(data, features, quick=False):
    chosen = QUICK(data, features, quick=True)
    return replace(chosen, config=replace(chosen.config, tolerances=(0.1, 0.1, 0.1, 0.1), parts=2))


QUICK = chosen_settings.settings_for


@pytest.fixture(scope="module")
def tiny(small):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(chosen_settings, "settings_for", settings_for)
        patch.setattr(chosen_settings, "data_of", lambda _: small)
        patch.setattr(experiment, "corpus_of", lambda _: small.corpus)
        yield


@pytest.fixture(scope="module")
def whole(tiny, tmp_path_factory):
    """(the table, the folder with its parts): made once; tests that change the folder take a copy."""
    work = tmp_path_factory.mktemp("tagging")
    with ThreadPoolExecutor(1) as executor:
        run = Run("tagging", features=("full",), work=work, executor=executor)
        return tagging_tables.table(run), work


@pytest.fixture
def work(whole, tmp_path):
    """A copy of the folder with the parts of a finished table."""
    return shutil.copytree(whole[1], tmp_path / "work")


@pytest.fixture(scope="module")
def models(small):
    """(settings, the dense model, cascades by method)."""
    settings = settings_for("ewt", "full")
    cascades = {
        m: experiment.train(chosen_settings.config_of(settings, m), small).cascade
        for m in chosen_settings.CASCADES
    }
    return settings, experiment.train_full(settings.full_epochs, small), cascades


def refuse(*_, **__):
    raise AssertionError("this must not run again")


def test_a_run_ends_in_rows_as_agreed_and_is_not_repeated(whole, work, monkeypatch):
    result = whole[0]
    rows = {(row["data"], row["method"]): row for row in result["rows"]}
    every = ("ewt", "wsj")
    assert set(rows) == {(data, m) for data in every for m in chosen_settings.METHODS}
    for row in rows.values():
        wanted = {"data", "features", "method", "accuracy", "filter_loss_sentence", "filter_loss_token"}
        assert wanted | {"states", "us_inference", "us_total", "paper", "learnt"} <= row.keys()
        assert row["sentence_loss"] == row["filter_loss_sentence"]
        assert row["accuracy"] > 80
        assert row["us_inference"] > 0
    assert rows["wsj", "full"]["states"] == 25
    assert rows["wsj", "spc"]["states"] < 25
    assert "dense_decode" in result["baselines"][0]["is"]
    methods = {(c["method"], c["filter"], c["split"]) for c in result["curves"]}
    assert methods == {(m, f, s) for m in chosen_settings.COMPARED for f in (1, 2) for s in ("dev", "test")}
    for row in rows.values():
        assert {"dropout", "warm", "passes"} <= row.keys()
    alike = [[rows["wsj", m][key] for key in ("dropout", "warm", "passes")] for m in SEARCHED]
    assert alike == [[0.25, True, 2]] * 3
    assert rows["wsj", "spc_no_dropout"]["dropout"] == rows["wsj", "crf_no_dropout"]["dropout"] == 0
    assert not rows["wsj", "spc_cold"]["warm"]
    is_whole = [row["filter"] == "cascade" for row in result["equal"] if row["method"] == "spc_cold"]
    assert is_whole
    assert all(is_whole)
    for data in ("wsj", "ewt"):
        for method in SEARCHED:
            of = [r for r in result["tried"] if (r["data"], r["method"]) == (data, method)]
            assert [r["number"] for r in of] == [0, 1]
            scores = [np.inf if r["score"] is None else r["score"] for r in of]
            assert [r["is_taken"] for r in of] == [n == np.argmin(scores) for n in range(2)]
    for row in rows.values():
        deep = 5 if row["method"] in chosen_settings.ORDERS_OF else 3
        if row["method"] in chosen_settings.CASCADES:
            assert [level["order"] for level in row["levels"]] == list(range(1, deep + 1))
            assert {level["tolerance"] for level in row["levels"]} == {10.0}
            for level in row["levels"]:
                assert level["is_kept"] == (level["lost_held_out"] <= 10.0)
                assert level["is_kept"] or row["method"].startswith("crf")
                assert level["lost_held_out"] <= level["lost_held_out_in_all"] + 1e-9
            assert row["is_tolerance_kept"] == all(level["is_kept"] for level in row["levels"][:2])
    deepest = [row for row in result["orders"] if row["order"] == 5]
    assert {(row["data"], row["method"], row["split"]) for row in deepest} == {
        (d, m, s) for d in every for m in chosen_settings.ORDERS_OF for s in ("dev", "test")
    }
    assert all(row["us_inference"] > 0 for row in deepest)
    assert [fold["fold"] for fold in result["fold_rows"]] == ["wsj full", "ewt full"]
    whole, at = rows["wsj", "crf"], chosen_settings.METHODS.index("crf")
    of_fold = result["fold_rows"][0]["rows"][at]
    assert {key: whole[key] for key in of_fold} == of_fold
    assert set(result["data_digests"]) == {"wsj", "ewt"}
    monkeypatch.setattr(experiment, "train", refuse)
    for path in work.glob("tagging-wsj*-times-*.json"):
        path.unlink()
    with ThreadPoolExecutor(1) as executor:
        again = tagging_tables.table(Run("tagging", features=("full",), work=work, executor=executor))
    times = [{(r["data"], r["method"]): r["us_total"] for r in x["rows"]} for x in (result, again)]
    assert times[0]["ewt", "full"] == times[1]["ewt", "full"]
    assert times[0]["wsj", "full"] != times[1]["wsj", "full"]
    for key in ("curves", "equal", "tried", "corpora", "settings", "data_digests"):
        assert again[key] == result[key]


def test_the_whole_treebank_is_learnt_by_settings_that_a_sixth_of_it_chose(whole, work, monkeypatch):
    with monkeypatch.context() as patch, ThreadPoolExecutor(1) as executor:
        patch.setattr(tagging_tables.search, "run_try", refuse)  # each was made for the sixth
        result = tagging_tables.whole(Run("tagging-whole", work=work, executor=executor))
    assert result["name"] == "tagging-whole"
    named = [(row["data"], row["method"]) for row in result["rows"]]
    kept = [m for m in chosen_settings.METHODS if m not in chosen_settings.ABLATED]
    assert named == [("ewt_whole", method) for method in kept]
    assert [fold["fold"] for fold in result["fold_rows"]] == ["ewt_whole full"]
    assert set(result["data_digests"]) == {"ewt"}
    assert result["tried"] == [row for row in whole[0]["tried"] if row["data"] == "ewt"]
    taken = {row["method"]: row["settings"] for row in result["tried"] if row["is_taken"]}
    (part,) = result["settings"]["parts"]
    assert set(part["methods"]) == set(chosen_settings.COMPARED)
    assert part["methods"]["crf"]["filter_rate"] == taken["crf"]["filter_rate"]
    assert len([row for row in result["rows"] if row["right_against_spc"]]) == len(kept) - 1


def test_a_part_made_again_is_checked_against_all(whole, work):
    both = whole[0]
    with ThreadPoolExecutor(1) as executor:
        one = tagging_tables.table(Run("tagging", folds=1, work=work, executor=executor))
    assert [fold["fold"] for fold in one["fold_rows"]] == ["wsj full"]
    count, unlike = differences(one, both)
    assert count > 100
    assert not unlike
    one["fold_rows"][0]["rows"][1]["states"] += 0.01
    assert len(differences(one, both)[1]) == 1


def test_other_words_are_another_part(tiny, small, tmp_path, monkeypatch):
    run = ("ewt", "full", True, tmp_path)
    part = tagging_tables.run_part(*run)
    monkeypatch.setattr(experiment, "train", refuse)
    assert tagging_tables.run_part(*run) == part
    train = small.corpus["train"]
    other = small.corpus | {"train": train._replace(words=("that", *train.words[1:]))}
    monkeypatch.setattr(chosen_settings, "data_of", lambda _: small._replace(corpus=other))
    with pytest.raises(AssertionError, match="must not run again"):
        tagging_tables.run_part(*run)


def test_damaged_models_are_trained_again_to_be_timed(tiny, tmp_path):
    run = ("ewt", "full", True, tmp_path)
    part = tagging_tables.run_part(*run)
    (path,) = tmp_path.glob("tagging-ewt-full-spc-*.npz")
    whole = path.read_bytes()
    path.write_bytes(whole[:-20])
    tagging_tables.time_part(*run)
    assert path.read_bytes() == whole
    assert tagging_tables.run_part(*run) == part


def test_the_thesis_learning_has_nothing_of_the_others():
    """From zero, margin 1, the five alphas, a falling step, early stopping; the others are as they were."""
    for data, features in (("wsj", "full"), ("ewt", "paper")):
        settings = QUICK(data, features)
        config = chosen_settings.config_of(settings, "spc_thesis")
        assert config.train_alphas == (0.0, 0.2, 0.4, 0.6, 0.8)
        assert (config.margin, config.crf_epochs, config.dropout, config.patience) == (1.0, 0, 0.0, 1)
        assert config.falling
        assert not config.warm_start
        assert config.decay > 0
        assert chosen_settings.config_of(settings, "spc_log_loss_start") == settings.config


def test_all_losses_are_treated_alike():
    """The same dropout, start, passes, patience and tolerances; the same number of tries, all different."""
    for data, features in (("wsj", "full"), ("ewt", "full"), ("wsj", "paper"), ("ewt", "paper")):
        settings = QUICK(data, features)
        tries = {m: chosen_settings.tries_of(settings, m) for m in SEARCHED}
        assert {len(tried) for tried in tries.values()} == {6}
        common = set()
        for method in SEARCHED:
            configs = [chosen_settings.config_of(settings, method, {method: n}) for n in range(6)]
            assert len(set(configs)) == 6
            common |= {
                (c.dropout, c.warm_start, c.filter_epochs, c.patience, c.crf_epochs, c.tolerances, c.parts)
                for c in configs
            }
            assert {config.method for config in configs} == {method}
        assert len(common) == 1
        assert {alpha for run in tries["spc"] for alpha in run["train_alphas"]} == {0.0, 0.2, 0.4, 0.6, 0.8}


@pytest.mark.parametrize(
    ("method", "of", "changed"),
    [
        ("spc_no_dropout", "spc", {"dropout": 0.0}),
        ("spc_cold", "spc", {"warm_start": False}),
        ("spc_short", "spc", {"filter_epochs": 8, "patience": 1}),
        ("crf_no_dropout", "crf", {"dropout": 0.0}),
    ],
)
def test_an_ablation_lacks_one_thing(method, of, changed):
    settings = QUICK("wsj", "full")
    assert set(shown.DRAWN) == set(chosen_settings.COMPARED)
    assert set(shown.METHODS) == set(chosen_settings.METHODS)
    whole = chosen_settings.config_of(settings, of, {of: 3})
    assert chosen_settings.config_of(settings, method, {of: 3}) == replace(whole, **changed)
    assert replace(whole, **changed) != whole


def test_an_unknown_feature_set_is_refused():
    with pytest.raises(ArgumentError, match="data and features must be one of"):
        chosen_settings.settings_for("ewt", "raw")


def test_kept_models_tag_as_the_trained(small, models, tmp_path):
    _, _, cascades = models
    path, table, lengths = tmp_path / "m.npz", small.tables["test"], small.corpus["test"].lengths
    for one in cascades.values():
        form = tree_of(Cascade)
        form.write(path, form.plain(with_models(one, narrow)))
        other = with_models(form.read(path), wide)
        assert other._replace(levels=()) == one._replace(levels=())
        labels = [decode_examples(cascade, table, lengths).labels for cascade in (one, other)]
        assert_array_equal(*labels)


def test_two_answers_of_one_method_are_not_timed(small, models, monkeypatch):
    _, dense, cascades = models
    monkeypatch.setattr(
        tagging_times, "decode_examples", lambda c, rows, lengths, unaries=None: _Labels(rows, lengths)
    )
    with pytest.raises(RuntimeError, match="spc found two answers"):
        tagging_times.time_methods(small, dense, cascades, repeats=1)


class _Labels:
    def __init__(self, rows, lengths):
        self.labels = np.full(int(np.sum(lengths)), 0 if rows is None else 1)


def result_of(features, value, **more):
    rows = [{"data": data, "features": features, "value": value} for data in ("ewt", "wsj")]
    return {
        "name": "tagging",
        "rows": rows,
        "baselines": rows,
        "curves": rows,
        "equal": rows,
        "orders": rows,
        "tried": rows,
        "fold_rows": [{"fold": f"{data} {features}", "value": value} for data in ("wsj", "ewt")],
        "settings": {"parts": rows, "seed": value},
        "corpora": {f"ewt {features}": value},
    } | more


def test_parts_of_a_result_are_merged():
    both = tagging_tables.merge_results(result_of("paper", 1), result_of("full", 2))
    for key in ("rows", "baselines", "curves", "equal", "orders"):
        assert [(r["features"], r["value"]) for r in both[key]] == [("full", 2)] * 2 + [("paper", 1)] * 2
    assert both["corpora"] == {"ewt paper": 1, "ewt full": 2}
    assert [f["fold"] for f in both["fold_rows"]] == ["wsj full", "wsj paper", "ewt full", "ewt paper"]
    assert [f["value"] for f in both["fold_rows"]] == [2, 1, 2, 1]
    again = tagging_tables.merge_results(both | {"command": "x"}, result_of("paper", 3))
    assert [r["value"] for r in again["rows"]] == [2, 2, 3, 3]
    assert [r["value"] for r in again["settings"]["parts"]] == [2, 2, 3, 3]
    new = result_of("full", 2)
    for stranger in (None, {}, [], 3, result_of("paper", 1, name="x"), result_of("paper", 1, settings={})):
        assert tagging_tables.merge_results(stranger, new) == new


def test_a_stored_tagger_is_the_measured_one(small, models, tmp_path):
    settings, _, cascades = models
    spc = cascades["spc_log_loss_start"]
    model = tagging_models.shrunk(settings, small, spc, cascades["crf"])
    path = tagging_models.save_tagger(tmp_path, model, random_state=7, metrics={}, data=small)
    verify_model(tmp_path, "tagging-ewt")
    tagger = tagging_models.load_tagger(tmp_path)
    loaded = tagger.whole()
    assert path.name == "tagging-ewt.json"
    assert loaded.settings == settings
    assert loaded.tag_set == TAG_SET
    table, test = small.tables["test"], small.corpus["test"]
    labels = [decode_examples(m.cascade, table, test.lengths).labels for m in (model, loaded)]
    assert_array_equal(*labels)
    exact = decode_examples(experiment.first_orders(spc, 3), table, test.lengths).labels
    assert (labels[0] == exact).mean() > 0.97  # eight bits a weight
    tag_model, rows = tagger.of_words(test.words[: test.lengths[0]])
    assert len(tag_model.crf.weights) == rows.n_features < len(loaded.crf.weights)
    assert_array_equal(
        decode_examples(tag_model.cascade, rows, test.lengths[:1]).labels, labels[0][: test.lengths[0]]
    )
    strange, rows = tagger.of_words(["\u0416" * 9])
    assert len(decode_examples(strange.cascade, rows, np.array([1])).labels) == 1


def test_a_missing_tagger_says_how_to_train_it(tmp_path):
    with pytest.raises(StoreError, match="train tagging"):
        tagging_models.load_tagger(tmp_path)


def test_words_right_are_compared_sentence_by_sentence():
    lengths = np.array([2, 1, 3] * 20)
    right = np.ones(int(lengths.sum()), dtype=bool)
    some = np.arange(len(right)) % 3 != 0
    by_method = tagging_times._right({"spc": some, "crf": right, "tags": ~some, "full": some}, lengths)
    assert {m: row["right_against_spc"] for m, row in by_method.items()} == {
        "spc": None, "crf": "more", "tags": "fewer", "full": "as many",
    }  # fmt: skip
    assert by_method["spc"]["accuracy"] == pytest.approx(100 * some.mean())
    assert by_method["spc"]["accuracy_low"] < by_method["spc"]["accuracy"] < by_method["spc"]["accuracy_high"]
    assert by_method["crf"]["accuracy_low"] == pytest.approx(100.0)
