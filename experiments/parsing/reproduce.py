"""Resource-constrained prediction, Fig. 4: one corpus after another; finished parts are stored."""

from collections.abc import Callable, Iterator
from dataclasses import asdict, replace
from functools import partial
from itertools import product
from pathlib import Path

import numpy as np

from experiments.parsing import measure, times
from spcviz.problems.parsing.data.treebank import load_sentences
from spcviz.problems.parsing.model import parser as parsers
from spcviz.problems.parsing.model import policies as policy
from spcviz.problems.parsing.model import stored
from spcviz.problems.parsing.model.world import Sentences, sentences_of
from spcviz.registry.problem import Run
from spcviz.shared.report import describe
from spcviz.shared.work.disk_cache import JSON, load_or_compute, tree_of
from spcviz.shared.work.jobs import run_all
from spcviz.store import digest_of_arrays

CORPORA = ("ewt", "wsj")
"""Corpora in this order; the command line calls them folds."""
SOURCE = "Bolukbasi et al. (2017), Resource Constrained Structured Prediction, Fig. 4"
MODEL_CODE = ("spcviz.problems.parsing.model.parser",)
FOLDS_CODE = ("spcviz.problems.parsing.model.parser",)
POLICY_CODE = ("spcviz.problems.parsing.model.policies",)
PART_CODE = ("experiments.parsing.measure",)
QUICK_SENTENCES = 400
CHOSEN_ON = (
    "development sentences (EWT: its own; WSJ: the second last tenth of the files): passes, margin, size of "
    "the tables, which one-shot policy is compared, its price and weights; which policy and share is called "
    "fastest at a loss, by heads right and times of development sentences"
)
MEANINGS = {
    "dictionary": "whether arcs longer than any of training with the same tags are left out, unscored",
    "shared_weights": "whether the full template keeps the tags' features and weights: a word bought pays "
    "what is new",
    "features_share": "words whose arcs are scored by the full template, of all test words",
    "us_per_word": "features and scores, choosing, parsing: all measured on each eighth test sentence, the "
    "fastest of several runs in turns; without reading text",
    "depth": "share of the words at each true depth (7: and deeper) that are bought",
    "bootstrap": f"{measure.N_DRAWS} draws of test sentences, the same for all policies; 95 %",
}


def train(run: Run) -> Iterator[str]:
    """Train parser and policies on the English Web Treebank; yields a line when they are stored."""
    parts = train_parsers("ewt", run.quick, run.work, run.tick, with_lengths=False)
    world = policy.world_of(parts.parser, parts.test, parts.policies.scale)
    clock = times.Clock(parts.policies, parts.test, {False: (parts.parser, world)})
    us = {row["template"]: row["us_features"] for row in clock.run({}, ())[1][False]}
    scored = parsers.score(parts.parser, parts.test)
    uas = {how: measure.uas_by(decode, scored, parts.test, 1) for how, decode in measure.DECODERS.items()}
    path = stored.save(
        run.models,
        stored.ParseModel(parts.parser, parts.policies, us),
        settings=parsers.settings_for("ewt", run.quick),
        metrics={"test_uas": uas},
        train=load_sentences("ewt")[0]["train"],
    )
    yield f"{path}: {uas['arborescence']:.2f} % of test heads right, {uas['eisner']:.2f} % without crossings"


def reproduce_parsing(run: Run) -> dict:
    """UAS against time for every policy, on the first ``run.folds`` of `CORPORA` (Fig. 4)."""
    corpora = CORPORA[: run.folds]
    jobs = [(data, run.quick, run.work) for data in corpora]
    done = run_all(run.executor, run_part, jobs, run.tick)
    named = dict(zip(corpora, done))
    keys = ("rows", "chosen", "depth", "compared", "templates", "without_policy", "lengths")
    rows = {
        key: [{"data": data} | row for data, figures in named.items() for row in figures[key]] for key in keys
    }
    return describe(
        "parsing",
        SOURCE,
        rows.pop("rows"),
        baselines=[row for row in rows["without_policy"] if row["template"] == "full"],
        settings={
            "parts": [asdict(parsers.settings_for(data, run.quick)) for data in corpora],
            "random_state": parsers.RANDOM_STATE,
            "policies": {data: figures["about"] for data, figures in named.items()},
            "chosen_on": CHOSEN_ON,
        }
        | MEANINGS,
        data={data: arrays_of(load_sentences(data)[0]) for data in corpora},
        fold_rows=[
            {"fold": d, "rows": [_drop_times(row) for row in figures["rows"]]} for d, figures in named.items()
        ],
        **{key: {data: figures[key] for data, figures in named.items()} for key in ("best", "test_words")},
        **rows,
    )


def _drop_times(row):
    return {key: value for key, value in row.items() if not key.startswith("us_")}


def run_part(data, quick, folder):
    """One corpus: the result of `measure.measure`, with ``about`` the policies and ``test_words``."""
    digest = digest_of_arrays(arrays_of(load_sentences(data)[0]))
    key = _key(parsers.settings_for(data, quick), quick=quick, data=digest)

    def make():
        parts = train_parsers(data, quick, folder)
        figures = measure.measure(parts, np.random.default_rng([parsers.RANDOM_STATE, 2]))
        words = len(parts.test.words) - len(parts.test.starts) + 1
        return figures | {"about": parts.policies.about, "test_words": words}

    return load_or_compute(folder, f"parsing-{data}", key, PART_CODE, make, JSON)


def train_parsers(
    data: str, quick: bool, folder: Path | None, tick: Callable | None = None, *, with_lengths=True
):
    """Parsers, stored in `folder`, and policies for "ewt" or "wsj"; a length dictionary is optional."""
    splits, tag_set = load_sentences(data)
    if quick:
        splits = {name: sentences.some(np.arange(QUICK_SENTENCES // 2)) for name, sentences in splits.items()}
    settings = parsers.settings_for(data, quick)
    common = {"train": splits["train"], "tag_set": tag_set, "folder": folder, "tick": tick}
    parser = _parser(settings, **common)
    limited = _parser(replace(settings, has_lengths=True), **common) if with_lengths else parser
    learn = _learn(settings, **common)
    dev = policy.world_of(parser, splits["dev"], learn.scale)
    policies = _policies(settings, (learn, dev), folder, tick)
    return measure.Parts(parser, limited, policies, splits["dev"], splits["test"])


def _parser(settings, train, tag_set, folder, tick):
    """A parser, trained unless it is stored."""

    def make():
        rng = np.random.default_rng(parsers.RANDOM_STATE)
        return parsers.train(train, tag_set, settings, rng, tick)

    key = _key(settings, train=digest_of_arrays(arrays_of({"train": train})))
    return load_or_compute(
        folder, f"parsing-{settings.data}-parser", key, MODEL_CODE, make, tree_of(parsers.Parser)
    )


def _key(settings, **more):
    """Everything that stored work depends on besides code."""
    return {"settings": asdict(settings), "random_state": parsers.RANDOM_STATE} | more


def _learn(settings, train, tag_set, folder, tick):
    """Training sentences for policies, scored by parsers of other folds unless they are stored."""

    def make():
        rng = np.random.default_rng([parsers.RANDOM_STATE, 1])
        sentences, scored = parsers.folds_of(train, tag_set, settings, rng, tick)
        return sentences_of(scored, sentences)

    key = _key(settings, train=digest_of_arrays(arrays_of({"train": train})))
    return load_or_compute(
        folder, f"parsing-{settings.data}-folds", key, FOLDS_CODE, make, tree_of(Sentences)
    )


def _policies(settings, worlds, folder, tick):
    """Policies, trained unless they are stored."""
    digests = [digest_of_arrays({"squares": world.squares, "heads": world.heads}) for world in worlds]
    key, rng = _key(settings, worlds=digests), np.random.default_rng([parsers.RANDOM_STATE, 3])
    make, form = partial(policy.train, *worlds, rng, tick), tree_of(policy.Policies)
    return load_or_compute(folder, f"parsing-{settings.data}-policies", key, POLICY_CODE, make, form)


def arrays_of(splits):
    """Codes, heads and lengths of all splits as arrays."""
    parts = product(splits.items(), ("codes", "heads", "starts"))
    return {f"{name} {part}": getattr(sentences, part) for (name, sentences), part in parts}
