"""The result quiescence: time saved by stopping messages early, on chains of 8 to 800 positions.

- letters: words of the stored budget model's test fold joined into lines; a letter's scores change as coarse
  edges (HoG) are bought for it
- tags: joined test sentences of at least 25 words of the English Web Treebank; a word's scores in the stored
  tagger's bigram filter change from those of its spelling alone to those of all its features. Skipped where
  the treebank is not below SPCVIZ_DATA: it may not ship.

In addition to single updates, whole trajectories of DMS-pi are measured on lines of letters, with everything
counted: features, messages and the policy, which re-evaluates every letter that the messages have reached.
"""

from collections.abc import Callable

import numpy as np

from spcviz.engine.ngrams.table import symbol_bits
from spcviz.learning.budgets import part_policy
from spcviz.problems.letters import handwriting as letters
from spcviz.problems.tagging.data import corpora as tagging
from spcviz.problems.tagging.model.features import feature_numbers
from spcviz.problems.tagging.model.stored import load_tagger
from spcviz.problems.words.model import stored
from spcviz.problems.words.model.long_chains import (
    ChainExamples,
    Setting,
    anew_us,
    compare_updates,
    join_chains,
    update_us,
)
from spcviz.shared import folders
from spcviz.shared.clock import median_us
from spcviz.shared.report import describe
from spcviz.shared.work.jobs import expect

LENGTHS = (8, 25, 50, 100, 200, 400, 800)
"""Positions of a chain; words have about 8."""

TOLERANCES = (0.1, 0.25, 0.5)
ROUNDING = 1e-9
"""q of an exact update of level scores: sums in another order differ by this much."""

N_CHANGED = 10
"""Positions of each chain that change, one at a time."""

LONG = 25
"""Fewest words of a sentence that is joined."""

OWN_TEMPLATES = 2
"""The first templates of `spcviz.problems.tagging.model.features.FULL_TEMPLATES`: the word itself."""

METHODS = {
    "anew": (None,),
    "exact": (Setting(0.0),),
    "printed": tuple(Setting(q) for q in TOLERANCES),
    "margin": tuple(Setting(q, by_margin=True) for q in TOLERANCES),
    "level": tuple(Setting(q, is_level=True) for q in (ROUNDING, *TOLERANCES)),
}
"""Name in the rows -> timed settings; None: all messages are recomputed."""

RANDOM_STATE = 0
COURSE_LENGTHS = LENGTHS[1:]
"""Letters per line; unjoined words come first."""

COURSES = (
    ("exact", 0.0, "range"),
    *(("printed", q, "range") for q in TOLERANCES),
    *(("margin", q, "margin") for q in (0.25, 0.5)),
)


def letter_source(model):
    """Test words of a `BudgetModel`, before and after coarse edges: a `ChainExamples`."""
    parts = model.parts
    return ChainExamples(parts.scores[:, :2], parts.pairwise[0], parts.starts)


def tag_source(folder, corpus):
    """Long sentences of a `TaggedCorpus`, before and after all features: a `ChainExamples`."""
    tagger = load_tagger(folder).whole()
    bigrams = tagger.cascade.levels[1].filter
    numbers = feature_numbers(tagger.vocabulary, corpus.words, corpus.lengths)
    weights = np.vstack([bigrams.weights, np.zeros(bigrams.weights.shape[1])])  # number -1: unknown
    scores = np.stack([weights[numbers[:, :OWN_TEMPLATES]].sum(axis=1), weights[numbers].sum(axis=1)], axis=1)
    starts = np.concatenate([[0], np.cumsum(corpus.lengths)])
    chosen = np.flatnonzero(corpus.lengths >= LONG)
    rows = np.concatenate([np.arange(starts[w], starts[w + 1]) for w in chosen])
    return ChainExamples(
        scores[rows], step_table(bigrams), np.concatenate([[0], np.cumsum(corpus.lengths[chosen])])
    )


def step_table(model):
    """Scores of the step from one state to the next, (K, K), of a model's 2-grams; unseen ones have 0."""
    n_states = model.weights.shape[1]
    bits = symbol_bits(n_states)
    before, after = model.keys >> bits, model.keys & ((1 << bits) - 1)
    is_step = (before >= 1) & (before <= n_states) & (after >= 1) & (after <= n_states)
    table = np.zeros((n_states, n_states))
    table[before[is_step] - 1, after[is_step] - 1] = model.values[is_step]
    return table


def result(run):
    """The result; see `spcviz.shared.report.describe`."""
    arrays, skipped = {"ocr": letters.load_words()._asdict()}, {}
    model = stored.load(run.models)
    made = {"letters": letter_source(model)}
    place = folders.data_folder()
    if place is not None and (place / tagging.FOLDERS["ewt"]).is_dir():
        corpus = tagging.load_corpus("ewt", place)["test"]
        made["tags"] = tag_source(run.models, corpus)
        arrays["ewt"] = {"tags": corpus.tags, "lengths": corpus.lengths}
    else:
        skipped["tags"] = f"needs the folder {tagging.FOLDERS['ewt']} below SPCVIZ_DATA"
    n_positions = 1_000 if run.quick else 8_000
    expect(run.tick, len(made) * len(LENGTHS) + len(COURSE_LENGTHS) + 1)
    by_kind = {kind: rows_of(kind, source, n_positions, run.tick) for kind, source in made.items()}
    rows = [row for kind_rows in by_kind.values() for row in kind_rows]
    whole = courses(model, run.tick, n_lines=30 if run.quick else None)
    return describe(
        run.name,
        "Weiss (2013), thesis, Algorithm 4 and Fig. 7.3",
        rows,
        baselines=[],
        settings={"lengths": LENGTHS, "tolerances": TOLERANCES, "changes_a_chain": N_CHANGED}
        | {"positions_a_length": n_positions, "random_state": RANDOM_STATE},
        data=arrays,
        fold_rows=[
            {"fold": kind, "rows": kind_rows} for kind, kind_rows in (by_kind | {"courses": whole}).items()
        ],
        summary=summary(rows),
        courses=whole,
        courses_summary=courses_summary(whole),
        skipped=skipped,
    )


def courses(model: stored.BudgetModel, tick: Callable, n_lines: int | None = None) -> list[dict]:
    """DMS-pi on lines of letters: a row for each length and stopping rule, microseconds per letter.

    Each budget is the least with which lines of one half of the test words are read no worse than with all
    features. The other half is measured, then the halves are swapped and both are averaged.
    """
    rng = np.random.default_rng([RANDOM_STATE, 1])
    order = rng.permutation(len(model.parts.starts) - 1)[: n_lines and 2 * n_lines]
    halves = [model.parts.some(words)[0] for words in (order[::2], order[1::2])]
    feature_us = [np.asarray(model.costs[kind]) for kind in ("us", "us_fast")]
    rows = []
    for length in (0, *COURSE_LENGTHS):
        first, second = (half if length == 0 else cut_into(half, length) for half in halves)
        n_letters, n_lines = (sum(sizes) for sizes in zip(_size(first), _size(second), strict=True))
        for method, q, scale in COURSES:
            how = part_policy.rule(model.learned.policy, q=q, scale=scale)
            both = [_course(how, *pair, feature_us) for pair in ((first, second), (second, first))]
            row = {"data": "courses", "length": length or round(n_letters / n_lines, 2)}
            row |= {"method": method, "q": q}
            rows.append(row | {key: float(np.mean([course[key] for course in both])) for key in both[0]})
        tick(f"courses {length}")
    return rows


def _size(world):
    return world.shape[0], len(world.starts) - 1


def _course(how, dev, test, feature_us):
    """Figures of the lines ``test`` at the budget chosen on the lines ``dev``."""
    dev_loss, test_loss = _all_features_loss(dev), _all_features_loss(test)
    n_letters, n_more = test.shape[0], test.shape[1] - 1
    share = min(part_policy.chosen_budgets(dev, how, loss=dev_loss)["final_error"], 1.0)
    budget = share * n_letters * n_more
    us = median_us(lambda: part_policy.spend(test, how, budget), 3) / n_letters
    bought = part_policy.spend(test, how, budget)
    tiers = np.bincount(bought.tier - 1, minlength=n_more) / n_letters
    wrong, of_all = (100 * float(lost) / n_letters for lost in (test.loss_of(bought.labels), test_loss))
    out = {"features_share": 100 * len(bought.part) / (n_letters * n_more), "error": wrong}
    out |= {"error_all_features": of_all, "messages": float(bought.messages.mean()), "us_policy": us}
    return out | {name: us + float(tiers @ costs) for name, costs in zip(("us", "us_fast"), feature_us)}


def cut_into(world, length):
    """Join a world's chains and cut them into lines of one length; the last may be shorter."""
    n = world.shape[0]
    return world._replace(starts=np.append(np.arange(0, n, length), n))


def _all_features_loss(world):
    everything = np.full(world.shape[0], world.shape[1] - 1)
    return world.losses_if(everything, everything)[0].sum()


def courses_summary(rows) -> dict[str, dict]:
    """For each stopping rule: how much faster a trajectory is than the exact one, and the error added."""
    at = {(row["method"], row["q"], row["length"]): row for row in rows}
    lengths = list(dict.fromkeys(row["length"] for row in rows))
    out = {}
    for method, q, _ in COURSES[1:]:
        stopped, exact = (
            [at[name, tolerance, n] for n in lengths] for name, tolerance in ((method, q), ("exact", 0.0))
        )
        us, us_fast = ([a[key] / b[key] for a, b in zip(stopped, exact)] for key in ("us", "us_fast"))
        added = [a["error"] - b["error"] for a, b in zip(stopped, exact)]
        out[f"{method} {q:g}"] = {
            "pays_from": pays_from(lengths, us),
            "pays_from_fast": pays_from(lengths, us_fast),
            "times_faster": {f"{n:g}": 1 / ratio for n, ratio in zip(lengths, us, strict=True)},
            "error_added": {f"{n:g}": more for n, more in zip(lengths, added, strict=True)},
        }
    return out


def rows_of(kind, source, n_positions, tick):
    """Rows of one kind of chain; the chains of each length have `n_positions` in all, or a little more."""
    rows = []
    for length in LENGTHS:
        n_chains = max(n_positions // length, 2)
        chains = join_chains(
            source, length, n_chains, N_CHANGED, np.random.default_rng([RANDOM_STATE, length])
        )
        for method, settings in METHODS.items():
            rows += [_row(chains, setting, kind, method) for setting in settings]
        tick(f"{kind} {length}")
    return rows


def _row(chains, setting, kind, method):
    length = chains.scores.shape[1]
    row = {"data": kind, "length": length, "method": method, "q": setting and setting.tolerance}
    row["updates"] = chains.changed.size
    names = ("us", "messages", "updates_with_wrong_labels", "wrong_labels", "marginal_error")
    if setting is None:
        turns = anew_us(chains)
        values = np.median(turns), 2.0 * length, 0.0, 0.0, 0.0
    else:
        updates = compare_updates(chains, setting)
        wrong = float(100 * (updates.wrong > 0).mean()), float(updates.wrong.mean())
        turns = update_us(chains, setting)
        values = np.median(turns), updates.messages.mean(), *wrong, _rounded_mean(updates.off)
    row |= dict(zip(names, map(float, values), strict=True)) | {"us_turns": turns.tolist()}
    return row | {"messages_share": 100 * row["messages"] / (2 * length)}


def _rounded_mean(errors):
    return float(round(errors.mean(), 9))


def summary(rows) -> dict[str, dict[str, dict]]:
    """For each kind and stopping rule: from which length on an update takes less time than an exact one."""
    # Exact is the cheaper of the update that never stops early and half of recomputing all messages, which is
    # the time without checks for stopping.
    out = {}
    for kind in dict.fromkeys(row["data"] for row in rows):
        kind_rows = [row for row in rows if row["data"] == kind]
        at = {(row["method"], row["q"], row["length"]): row for row in kind_rows}
        lengths = sorted({row["length"] for row in kind_rows})
        exact = np.array([min(at["exact", 0.0, n]["us"], at["anew", None, n]["us"] / 2) for n in lengths])
        longest = [
            np.array(at[key]["us_turns"])
            for key in (("exact", 0.0, lengths[-1]), ("anew", None, lengths[-1]))
        ]
        exact_turns = min(longest[0], longest[1] / 2, key=np.median)
        out[kind] = {}
        for method, q in dict.fromkeys((row["method"], row["q"]) for row in kind_rows if row["q"]):
            by_length = [at[method, q, n] for n in lengths]
            us, wrong, weights = (
                np.array([row[key] for row in by_length])
                for key in ("us", "updates_with_wrong_labels", "updates")
            )
            out[kind][f"{method} {q:g}"] = {
                "pays_from": pays_from(lengths, us / exact),
                "times_faster": float(1 / (us / exact)[-1]),
                "times_faster_turns": (exact_turns / by_length[-1]["us_turns"]).tolist(),
                "updates_with_wrong_labels": float(np.average(wrong, weights=weights)),
                "messages_at_longest": by_length[-1]["messages"],
            }
    return out


def pays_from(lengths, ratio) -> float | None:
    """The length from which on a ratio stays below 1, interpolated in logarithms; None if not at the last.

    >>> pays_from([10, 40], [2.0, 0.5]), pays_from([10, 40], [0.5, 0.4]), pays_from([10, 40], [0.5, 2.0])
    (20.0, 10.0, None)
    """
    above = np.flatnonzero(np.asarray(ratio) >= 1)
    if not len(above):
        return float(lengths[0])
    i = above[-1]
    if i + 1 == len(lengths):
        return None
    x, y = np.log(lengths[i : i + 2]), np.log(ratio[i : i + 2])
    return float(round(np.exp(x[0] + (x[1] - x[0]) * y[0] / (y[0] - y[1])), 9))
