"""The result tagging-rules: taggers trained on all of EWT and on the WSJ sample, by every threshold rule.

One tagger is shipped, the other is trained by its recipe: filters initialised with the log loss, then trained
for the thesis' rule. The loss of the first filter is searched on development sentences for each rule and each
loss of both filters together; thresholds are tuned there too, and evaluated on test sentences. The rivals are
a cascade whose filters are trained for the margin instead, from the same log loss, and a CRF's bigram filter,
trained on the same sentences in the spaces that the tagger's first filter leaves.
"""

from collections.abc import Callable
from dataclasses import asdict, replace
from functools import partial
from typing import NamedTuple

import numpy as np

from experiments.tagging import equal_loss
from experiments.tagging.reproduce import arrays_of_corpus
from spcviz.engine.errors import InfeasibleError
from spcviz.engine.ngrams.lattice import bigrams
from spcviz.engine.thresholds import guarantees, rules
from spcviz.learning.cascade.cascade import Cascade, filter_examples, predict
from spcviz.learning.cascade.config import Level
from spcviz.learning.cascade.decoding import survives
from spcviz.learning.cascade.features import SparseRows
from spcviz.learning.cascade.online import Model
from spcviz.learning.cascade.retuning import retune
from spcviz.problems.open_words.model.rivals import compare_rules
from spcviz.problems.tagging.model import cascade as experiment
from spcviz.problems.tagging.model import stored
from spcviz.problems.tagging.model.features import feature_numbers
from spcviz.registry.problem import Run
from spcviz.shared.report import describe
from spcviz.shared.work.disk_cache import load_or_compute
from spcviz.shared.work.jobs import label_ticks
from spcviz.store import digest_of_arrays

DATA, SPLITS = ("ewt", "wsj"), ("dev", "test")
AGAINST = "mean_max"
METHODS = {
    "mean_max": "mean_max",
    "margin": "margin",
    "probability": "probability",
    "margin_trained": "margin",
    "crf": "probability",
}
"""Method -> the rule of its bigram filter; the first three have the tagger's weights."""

SVM = {"rule": "margin", "train_alphas": (), "train_margins": (0.0,)}
"""Learning settings of the filters of "margin_trained": the structured SVM's hinge."""

FIRST = (0.001, 0.0025, 0.005, 0.01, 0.02)
"""Shares of development sentences that the first filter may lose: one is chosen per method and target."""

TARGETS = (1.0, 2.0, 5.0)
"""Percent of the test sentences that are lost where bigrams are compared."""

NEAR = (0.6, 0.8, 1.0, 1.2, 1.4)
"""Multiples of a target at which the search counts bigrams: a single loss depends on a few sentences."""

TOLERANCES = (0.005, 0.01, 0.025)
"""Tolerances of every level of whole cascades, as shares of the development sentences that reach it."""

PROMISED = 2.0
"""One of `TARGETS`: percent of sentences that both filters together may lose, by each guarantee."""

GUARANTEES = (None, "mean", 0.9)
BLOCK = 64
"""Sentences that are scored at a time where no filter comes first."""


SHIPPED = "ewt"
"""The corpus whose tagger ships; the others' are trained here."""

TABLES = ("rows", "all_tags", "levels", "promises")
CODE = ("spcviz.problems.tagging.model.stored", "experiments.tagging.rules")
"""The modules that compute a corpus's figures."""


class Part(NamedTuple):
    """Sentences as the shipped tagger sees them."""

    rows: SparseRows
    tags: np.ndarray  # a tag that training does not have counts as the first
    lengths: np.ndarray


def reproduce(run: Run) -> dict:
    """``rows``: bigrams at equal loss; ``all_tags``: without a first filter; ``levels``: whole cascades, each
    level at the same tolerance; ``promises``: what a guarantee costs."""
    made = {data: _kept_figures(data, run) for data in DATA}
    tables = {name: [row for data in DATA for row in made[data][name]] for name in TABLES}
    begun = [stored.settings_on_all(data, run.quick).config.crf_epochs for data in DATA]
    return describe(
        run.name,
        "Weiss (2013), thesis, section 4.5.1, by other threshold rules",
        tables["rows"],
        baselines=[],
        settings={
            "first": list(FIRST),
            "searched_at": list(NEAR),
            "tolerances": list(TOLERANCES),
            "promised": PROMISED,
            "begun_with": f"the log loss, {' and '.join(map(str, begun))} passes",
            "bootstrap": {"draws": equal_loss.N_DRAWS, "random_state": equal_loss.RANDOM_STATE},
            "quick": run.quick,
            "chosen_on": "development sentences of each corpus, which training does not have",
        },
        data={data: _splits_of(data) for data in DATA},
        fold_rows=[
            {"fold": data, "rows": [row for name in TABLES for row in made[data][name]]} for data in DATA
        ],
        all_tags=tables["all_tags"],
        levels=tables["levels"],
        promises=tables["promises"],
        missing=[],
    )


def _splits_of(data):
    """Development and test sentences as arrays."""
    return arrays_of_corpus({split: experiment.corpus_of(data)[split] for split in SPLITS})


def _kept_figures(data, run):
    """`corpus_figures` in JSON's types, stored in the run's folder."""
    settings = stored.settings_on_all(data, run.quick)
    train = experiment.corpus_of(data)["train"]
    key = {"settings": asdict(settings), "svm": SVM, "quick": run.quick}
    key |= {"data": digest_of_arrays(arrays_of_corpus({"train": train}) | _splits_of(data))}
    if data == SHIPPED:  # by its thresholds: they depend on all weights
        about = stored.load_tagger(run.models).about
        key["model"] = [*about["alphas"], about["crf_alpha"]]
    return load_or_compute(run.work, f"tagging-rules-{data}", key, CODE, partial(corpus_figures, data, run))


def corpus_figures(data: str, run: Run) -> dict[str, list[dict]]:
    """Rows of each of `TABLES` on one corpus."""
    tick = label_ticks(run.tick, data)
    if data == SHIPPED:
        tagger = stored.load_tagger(run.models).whole()
    else:
        tagger = stored.train_on_all(data, quick=run.quick, tick=tick)[0]
    parts = {split: part_of(tagger, data, split, run.quick) for split in SPLITS}
    cascades = {method: cascade_of(tagger, method) for method in METHODS}
    cascades["margin_trained"] = train_for_margin(tagger.settings, data, tick)
    spaces = {method: first_filter(cascades[method], method, parts["dev"]) for method in METHODS}
    tick("first filters")
    rows, promises = equal_rows(cascades, spaces, parts, tick)
    ablation = all_tags_rows(cascades, parts["test"], tick)
    whole = level_rows(cascades[AGAINST], parts, tick)
    n_train = len(experiment.corpus_of(data)["train"].lengths)
    where = " (shipped model)" if data == SHIPPED else ""
    about = {"data": data, "features": "full", "trained_on": f"{n_train:,} sentences{where}"}
    made = {"rows": rows, "all_tags": ablation, "levels": whole, "promises": promises}
    return {name: [about | _hinge(tagger, row) | row for row in table] for name, table in made.items()}


def _hinge(tagger, row):
    """The hinge settings that a row's filters were trained with."""
    if row.get("method") == "margin_trained":
        return {"train_alpha": [], "train_margin": list(SVM["train_margins"])}
    return {"train_alpha": list(tagger.settings.config.train_alphas)}


def train_for_margin(settings: stored.TagSettings, data: str, tick: Callable) -> Cascade:
    """A cascade by the tagger's recipe whose filters are trained, and tuned, for a margin below the best."""
    config = replace(settings.config, **SVM)
    return experiment.train(
        config, experiment.prepare_corpus(data, "full", settings.least), tick=tick
    ).cascade


def part_of(tagger: stored.TagModel, data: str, split: str, quick: bool = False) -> Part:
    """A split of a corpus; `quick` takes every eighth sentence."""
    corpus = experiment.corpus_of(data)
    part = experiment.tagging.thin_corpus(corpus[split], 8) if quick else corpus[split]
    if corpus["train"].tag_set != tagger.tag_set:
        raise ValueError("the corpus has other tags than the tagger: python -m spcviz train tagging")
    numbers = feature_numbers(tagger.vocabulary, part.words, part.lengths)
    rows = experiment.rows_of(numbers, len(tagger.vocabulary.codes))
    return Part(rows, np.maximum(part.tags, 0), part.lengths)


def cascade_of(tagger: stored.TagModel, method: str) -> Cascade:
    """A cascade of the tagger's weights; a CRF's first filter is the tagger's, and by the thesis' rule."""
    cascade = tagger.cascade
    if method != "crf":
        return cascade
    first, second, *_ = cascade.levels
    return cascade._replace(levels=(first, Level(tagger.crf, tagger.crf_alpha, second.predictor)))


def first_filter(cascade: Cascade, method: str, dev: Part) -> dict[float, Cascade]:
    """The first filter tuned to each of `FIRST`, by a method's rule."""
    rule = AGAINST if method == "crf" else METHODS[method]
    alone = cascade._replace(levels=cascade.levels[:1])
    return {share: retune(alone, rule, *dev, (share,)) for share in FIRST}


def equal_rows(cascades, spaces, parts, tick) -> tuple[list[dict], list[dict]]:
    """(bigrams at equal loss, cost of guarantees): each method after the first filter that suits it."""
    found, promises = {target: {} for target in TARGETS}, []
    weights = equal_loss.draws(len(parts["test"].lengths))
    for method, rule in METHODS.items():
        filtered = partial(_score_rule, cascades[method].levels[1].filter, rule)
        dev = {share: filtered(first, parts["dev"]) for share, first in spaces[method].items()}
        for target in TARGETS:
            share = min(FIRST, key=lambda one: (score_of(dev[one], target), one))
            wanted = {g: _tune_promise(rule, dev[share].event, g) for g in GUARANTEES}
            setting = rules.tune_setting(rule, dev[share].event, target / 100)
            asked = [setting, *(s for s in wanted.values() if s is not None)]
            test = filtered(spaces[method][share], parts["test"], asked)
            more = {"first_tolerance": 100 * share} | at_setting(test, setting)
            found[target][method] = equal_loss.curves_of(test, weights), more
            if target == PROMISED:
                about = {"method": method, "rule": rule, "tolerance": target, "n": len(dev[share].event)}
                promises += [about | row for row in _promises(test, wanted)]
        tick(f"bigrams, {method}")
    rows = []
    for target, by_method in found.items():
        for row in rows_at({method: curves for method, (curves, _) in by_method.items()}, target):
            rows.append({"filter": "bigrams", "guarantee": None} | row | by_method[row["method"]][1])
    return rows, promises


def _promises(test, wanted):
    """Loss and bigrams left of each guarantee's setting on test sentences; None: it cannot be promised."""
    for guarantee, setting in wanted.items():
        needed = guarantees.examples_needed(PROMISED / 100, guarantee)
        row = {"guarantee": guarantee, "needed": needed}
        yield row | (at_setting(test, setting) if setting is not None else {"setting": None})


def _score_rule(model: Model, rule: str, first: Cascade, part: Part, more=()) -> equal_loss.Fallen:
    lattice = experiment.space_of(first, 2, part.rows, part.lengths)
    return equal_loss.score_filter(model, lattice, part.rows, part.tags, rule=rule, more_alphas=more)


def score_of(fallen: equal_loss.Fallen, target: float) -> float:
    """Geometric mean of the bigrams left at losses `NEAR` a target; inf if one of these cannot be reached."""
    curves = equal_loss.curves_of(fallen, np.ones((1, len(fallen.event))))
    pairs = [equal_loss.at_loss(curves.loss, curves.pairs, share * target)[0] for share in NEAR]
    return float(np.exp(np.mean(np.log(pairs))))


def _tune_promise(rule, event, guarantee):
    """The setting that keeps a promise, or None if that needs more sentences, or fewer lost before."""
    try:
        return rules.tune_setting(rule, event, PROMISED / 100, guarantee)
    except InfeasibleError:
        return None


def at_setting(fallen: equal_loss.Fallen, setting: float) -> dict:
    """Loss (percent of sentences) of a setting, one of ``fallen.alpha``, and bigrams left per position."""
    at, positions = int(np.searchsorted(fallen.alpha, setting)), fallen.lengths.sum()
    return {
        "setting": setting,
        "loss": float(100 * (fallen.event <= setting).mean()),
        "pairs": float(fallen.pairs[:, at].sum() / positions),
    }


def rows_at(curves: dict[str, equal_loss.Curves], target: float) -> list[dict]:
    """Bigrams of each method where exactly `target` percent of test sentences are lost, and their ratios to
    the thesis' rule's and the CRF's; intervals use the same draws. None: a method cannot lose that few."""
    left = {m: equal_loss.at_loss(each.loss, each.pairs, target) for m, each in curves.items()}
    rows = []
    for method, pairs in left.items():
        row = {"method": method, "rule": METHODS[method], "target": target}
        row |= {"pairs_equal": _finite(pairs[0]), "pairs_interval": _interval(pairs)}
        for rival in (AGAINST, "crf"):
            ratio = _ratio(pairs, left[rival])
            row[f"over_{rival}"] = [_finite(ratio[0]), *_interval(ratio)]
        rows.append(row)
    return rows


def _ratio(mine, theirs):
    """The ratio by draw; inf where only the rival can lose that few, 0 where only mine, nan where neither."""
    with np.errstate(invalid="ignore"):
        return mine / theirs


def _interval(values):
    """Ends over the draws, or None where they have none."""
    drawn = values[~np.isnan(values)]
    return [_finite(end) for end in equal_loss.interval(drawn)] if len(drawn) == len(values) else [None, None]


def _finite(value):
    return float(value) if np.isfinite(value) else None


def all_tags_rows(cascades, test: Part, tick) -> list[dict]:
    """The bigram filters over all tags, although they were trained after the first filter: an ablation."""
    curves, weights = {}, equal_loss.draws(len(test.lengths))
    for method, rule in METHODS.items():
        filtered = partial(_whole, cascades[method].levels[1].filter, rule, cascades[method].n_states, test)
        events = np.concatenate([fallen.event for fallen in filtered(())])
        grid = equal_loss.alphas_of(events)
        curves[method] = equal_loss.curves_of(_join_blocks(filtered(grid), grid), weights)
        tick(f"all tags, {method}")
    rows = [row for target in TARGETS for row in rows_at(curves, target)]
    return [{"filter": "bigrams over all tags", "guarantee": None} | row for row in rows]


def _whole(model, rule, n_states, part, grid):
    """`Fallen` of blocks of sentences in their full spaces."""
    starts = np.concatenate([[0], np.cumsum(part.lengths)])
    for a in range(0, len(part.lengths), BLOCK):
        lengths = part.lengths[a : a + BLOCK]
        rows, tags = slice(starts[a], starts[a + len(lengths)]), part.tags
        lattice = bigrams(lengths, n_states, np.ones((int(lengths.sum()), n_states), dtype=bool))
        table = rows_between(part.rows, rows.start, rows.stop)
        yield equal_loss.score_filter(model, lattice, table, tags[rows], rule=rule, more_alphas=grid)


def _join_blocks(blocks, grid):
    """`Fallen` of all blocks at the same settings."""
    parts = [(fallen, np.searchsorted(fallen.alpha, grid)) for fallen in blocks]
    return equal_loss.Fallen(
        np.concatenate([fallen.event for fallen, _ in parts]),
        grid,
        np.concatenate([fallen.grams[:, at] for fallen, at in parts]),
        np.concatenate([fallen.pairs[:, at] for fallen, at in parts]),
        np.concatenate([fallen.lengths for fallen, _ in parts]),
    )


def rows_between(table: SparseRows, begin: int, end: int) -> SparseRows:
    """Consecutive rows of a table."""
    start = table.start[begin : end + 1]
    return SparseRows(start - start[0], table.index[start[0] : start[-1]], table.n_features)


def level_rows(cascade: Cascade, parts: dict[str, Part], tick) -> list[dict]:
    """Whole cascades, every level tuned to the same share of the sentences that reach it, rule by rule."""
    test, out = parts["test"], []
    draws = equal_loss.draws(len(test.lengths))[1:]
    for tolerance in TOLERANCES:
        by_rule, more = {}, {}
        for rule in (AGAINST, "margin", "mean_max_first", "probability"):
            tuned = retune(cascade, rule, *parts["dev"], (tolerance,) * len(cascade.levels))
            by_rule[rule], right = by_sentence(tuned, test)
            more[rule] = right, [level.alpha for level in tuned.levels]
            tick(f"levels, {rule} {tolerance}")
        for row in compare_rules(by_rule, AGAINST, draws):
            right, settings = more[row["rule"]]
            row |= {"tokens_right": right[row["order"] - 1], "settings": settings, "guarantee": None}
            row["sentences_right"] = row.pop("word_accuracy")
            out.append({"tolerance": 100 * tolerance} | row)
    return out


def by_sentence(cascade: Cascade, part: Part) -> tuple[dict[str, np.ndarray], list[float]]:
    """(arrays for `compare_rules`, each (orders, W); percent of tokens that each order tags right)."""
    names = ("n_grams", "positions", "lost", "right")
    out: dict[str, list] = {name: [] for name in names}
    tokens = []
    for level, step in zip(cascade.levels, filter_examples(cascade, part.rows, part.lengths)):
        lattice = step.lattice
        right = predict(level, lattice, part.rows).labels == part.tags
        tokens.append(100 * float(right.mean()))
        here = (
            np.diff(lattice.example_start),
            np.diff(lattice.col_start),
            ~survives(lattice, np.ones(lattice.n_arcs, dtype=bool), part.tags),
            np.logical_and.reduceat(right, lattice.row_start[:-1]),
        )
        for name, values in zip(names, here):
            out[name].append(values)
    return {name: np.array(values) for name, values in out.items()}, tokens
