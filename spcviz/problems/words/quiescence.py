"""The result "quiescence": what it saves to stop messages early, on chains of 8 to 800 positions.

- letters: words of the stored budget model's test fold joined into lines; a letter's scores change as coarse
  edges (HoG) are bought for it
- tags: test sentences of 25 words and more of the English Web Treebank joined; a word's scores in the stored
  tagger's bigram filter change from those of its spelling alone to those of all its features. Skipped where
  the treebank is not below SPCVIZ_DATA: it may not ship.
"""

import numpy as np

from spcviz.engine.ngrams import symbol_bits
from spcviz.problems.common import folders
from spcviz.problems.common.jobs import expect
from spcviz.problems.common.report import describe
from spcviz.problems.letters import data as letters
from spcviz.problems.tagging import data as tagging
from spcviz.problems.tagging.features import feature_numbers
from spcviz.problems.tagging.models import load_tagger
from spcviz.problems.words import models
from spcviz.problems.words.long_chains import Setting, Source, anew_us, joined, update_us, updated

LENGTHS = (8, 25, 50, 100, 200, 400, 800)
"""Positions of a chain; words have about 8."""

TOLERANCES = (0.1, 0.25, 0.5)
ROUNDING = 1e-9
"""q of an exact update of level scores: sums in another order differ by so much."""

N_CHANGED = 10
"""Positions of each chain that change, one at a time."""

LONG = 25
"""Words of a sentence that is joined."""

OWN_TEMPLATES = 2
"""The first of `spcviz.problems.tagging.features.FULL_TEMPLATES`: the word itself."""

METHODS = {
    "anew": (None,),
    "exact": (Setting(0.0),),
    "printed": tuple(Setting(q) for q in TOLERANCES),
    "margin": tuple(Setting(q, by_margin=True) for q in TOLERANCES),
    "level": tuple(Setting(q, is_level=True) for q in (ROUNDING, *TOLERANCES)),
}
"""Name in the rows to what is timed; None: all messages anew."""

RANDOM_STATE = 0


def letter_source(folder):
    """Test words of the stored budget model, before and after coarse edges: a `Source`."""
    parts = models.load(folder).parts
    return Source(parts.scores[:, :2], parts.pairwise[0], parts.starts)


def tag_source(folder, corpus):
    """Long sentences of a `Corpus`, before and after all features: a `Source`."""
    tagger = load_tagger(folder)
    bigrams = tagger.cascade.levels[1].filter
    numbers = feature_numbers(tagger.vocabulary, corpus.words, corpus.lengths)
    weights = np.vstack([bigrams.weights, np.zeros(bigrams.weights.shape[1])])  # number -1: unknown
    scores = np.stack([weights[numbers[:, :OWN_TEMPLATES]].sum(axis=1), weights[numbers].sum(axis=1)], axis=1)
    starts = np.concatenate([[0], np.cumsum(corpus.lengths)])
    chosen = np.flatnonzero(corpus.lengths >= LONG)
    rows = np.concatenate([np.arange(starts[w], starts[w + 1]) for w in chosen])
    return Source(scores[rows], step_table(bigrams), np.concatenate([[0], np.cumsum(corpus.lengths[chosen])]))


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
    """The result; see `spcviz.problems.common.report.describe`."""
    arrays, skipped = {"ocr": letters.load_words()._asdict()}, {}
    made = {"letters": letter_source(run.models)}
    place = folders.data_folder()
    if place is not None and (place / tagging.FOLDERS["ewt"]).is_dir():
        corpus = tagging.load_corpus("ewt", place)["test"]
        made["tags"] = tag_source(run.models, corpus)
        arrays["ewt"] = {"tags": corpus.tags, "lengths": corpus.lengths}
    else:
        skipped["tags"] = f"needs the folder {tagging.FOLDERS['ewt']} below SPCVIZ_DATA"
    n_positions = 2_000 if run.quick else 16_000
    expect(run.tick, len(made) * len(LENGTHS))
    by_kind = {kind: rows_of(kind, own, n_positions, run.tick) for kind, own in made.items()}
    rows = [row for own in by_kind.values() for row in own]
    return describe(
        run.name,
        "Weiss (2013), thesis, Algorithm 4 and Fig. 7.3",
        rows,
        baselines=[],
        settings={
            "lengths": LENGTHS, "tolerances": TOLERANCES, "changes_a_chain": N_CHANGED,
            "positions_a_length": n_positions, "random_state": RANDOM_STATE,
        },
        data=arrays,
        fold_rows=[{"fold": kind, "rows": own} for kind, own in by_kind.items()],
        summary=summary(rows),
        skipped=skipped,
    )  # fmt: skip


def rows_of(kind, source, n_positions, tick):
    """Rows of one kind of chain; n_positions of chains are made of each length, or a little more."""
    rows = []
    for length in LENGTHS:
        n_chains = max(n_positions // length, 2)
        chains = joined(source, length, n_chains, N_CHANGED, np.random.default_rng([RANDOM_STATE, length]))
        for method, settings in METHODS.items():
            rows += [_row(chains, setting, kind, method) for setting in settings]
        tick(f"{kind} {length}")
    return rows


def _row(chains, setting, kind, method):
    length = chains.scores.shape[1]
    row = {"data": kind, "length": length, "method": method, "q": setting and setting.tolerance}
    row["updates"] = chains.changed.size
    if setting is None:
        return row | {"us": anew_us(chains), "messages": 2.0 * length, "messages_share": 100.0} | _EXACT
    found = updated(chains, setting)
    return row | {
        "us": update_us(chains, setting),
        "messages": float(found.messages.mean()),
        "messages_share": float(100 * found.messages.mean() / (2 * length)),
        "updates_with_wrong_labels": float(100 * (found.wrong > 0).mean()),
        "wrong_labels": float(found.wrong.mean()),
        "marginal_error": float(round(found.off.mean(), 9)),
    }


_EXACT = {"updates_with_wrong_labels": 0.0, "wrong_labels": 0.0, "marginal_error": 0.0}


def summary(rows):
    """For each kind and way to stop: from which length on an update takes less time than an exact one.

    Exact is the cheaper of two: the update that stops at nothing, and half of passing everything anew, which
    is what it takes where nobody asks whether to stop.

    Returns
    -------
    dict of str to (dict of str to dict)
        ``pays_from``: the length, None if it never does; ``times_faster`` at the longest chain;
        ``updates_with_wrong_labels`` in percent, over all lengths; ``messages_at_longest``.
    """
    out = {}
    for kind in dict.fromkeys(row["data"] for row in rows):
        own = [row for row in rows if row["data"] == kind]
        at = {(row["method"], row["q"], row["length"]): row for row in own}
        lengths = sorted({row["length"] for row in own})
        exact = np.array([min(at["exact", 0.0, n]["us"], at["anew", None, n]["us"] / 2) for n in lengths])
        out[kind] = {}
        for method, q in dict.fromkeys((row["method"], row["q"]) for row in own if row["q"]):
            found = [at[method, q, n] for n in lengths]
            ratio = np.array([row["us"] for row in found]) / exact
            out[kind][f"{method} {q:g}"] = {
                "pays_from": pays_from(lengths, ratio),
                "times_faster": float(1 / ratio[-1]),
                "updates_with_wrong_labels": float(
                    np.average(
                        [row["updates_with_wrong_labels"] for row in found],
                        weights=[row["updates"] for row in found],
                    )
                ),
                "messages_at_longest": found[-1]["messages"],
            }
    return out


def pays_from(lengths, ratio):
    """The length from which on a ratio stays below 1, between two lengths interpolated (both in logarithms).

    Returns
    -------
    float or None
        The first length if it is always below; None if it is not below at the last.

    Examples
    --------
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
