"""Selection of models for whole words (DMS, thesis Fig. 6.1) and letter by letter (DMS-pi, Fig. 7.3)."""

import numpy as np
from numpy.typing import ArrayLike

from spcviz.engine.chains.chain import max_marginals_batch
from spcviz.engine.chains.quiescent import transposed_tables
from spcviz.engine.ngrams.table import symbol_bits
from spcviz.learning.budgets import batch_selection, part_policy, selector
from spcviz.learning.budgets.batch_selection import Looked, Variant
from spcviz.learning.budgets.chains.meta import META, chain_meta
from spcviz.learning.budgets.chains.parts import Parts, no_looks, typical_margin
from spcviz.learning.budgets.methods import METHODS
from spcviz.problems.letters import handwriting
from spcviz.problems.words.model import folds
from spcviz.problems.words.model.folds import N_TIERS

COSTS = np.ones(N_TIERS - 1)
"""Incremental cost of a word's next model in units (thesis 6.3.1: 0, 1, 1)."""
ETAS = tuple(np.geomspace(0.01, 3.0, 25))
"""Prices of a unit that the imitation baseline is trained for."""
COLUMNS = (*META, "a new 3-gram", "a new 4-gram", "a new 5-gram")
"""The selector's meta-features: those of the papers, and whether there is any new n-gram at all."""
_SURENESS, _N_GRAMS = list(range(4)), list(range(4, len(COLUMNS)))


def look(fold: folds.Fold, half_name: str) -> Looked:
    """Meta-features and losses of a fold's "train" or "test" words."""
    half, pairs = getattr(fold, half_name), getattr(fold, f"{half_name}_pairs")
    meta = np.zeros((len(half.words), N_TIERS, len(META)))
    losses = np.zeros((len(half.words), N_TIERS), dtype=np.int64)
    labels = np.zeros((N_TIERS, len(half.labels)), dtype=np.int64)
    seen = getattr(fold, f"seen_{half_name}")
    for p in range(len(pairs)):
        words, rows = folds.rows_of_part(half, p)
        first = np.concatenate([[0], np.cumsum(half.lengths[words])])[:-1]
        for t in range(N_TIERS):
            unary = np.ascontiguousarray(half.plain[rows, t], dtype=np.float64)
            labels[t, rows], meta[words, t] = chain_meta(unary, half.lengths[words], pairs[p, t], seen)
            losses[words, t] = np.add.reduceat(labels[t, rows] != half.labels[rows], first)
    meta = np.concatenate([meta, meta[:, :, 4:] > 0], axis=2)
    return Looked(selector.with_differences(meta[:, :-1]), losses, labels)


def model_curves(fold: folds.Fold, rng: np.random.Generator, us: ArrayLike) -> list[dict]:
    """Curves of all word-level methods, in units per word and percent of letters; `us`: a letter's tiers."""
    train, test = look(fold, "train"), look(fold, "test")
    per = tuple(half.lengths[:, None] * np.asarray(us) for half in (fold.train, fold.test))
    name = {key: method.name for key, method in METHODS.items()}
    variants = [Variant(name["dms"], train, test), Variant(name["dms_per_cost"], train, test, per)]
    for key, columns in (("dms_no_n_grams", _SURENESS), ("dms_n_grams_only", _N_GRAMS)):
        keep = np.array([*columns, *(len(COLUMNS) + np.array(columns))])
        variants.append(
            Variant(name[key], *(half._replace(meta=half.meta[:, :, keep]) for half in (train, test)))
        )
    lengths = fold.test.lengths
    return batch_selection.curves(variants, (COSTS, COSTS), test.losses, lengths, rng, etas=ETAS)


TOLERANCES = (0.0, 0.1, 0.25, 0.5, 0.75)
"""q of quiescent inference."""
LETTERS = (
    "dms_pi", "dms_pi_printed", "greedy", "greedy_printed", "imitation_parts", "all_at_once", "random",
    "uniform",
)  # fmt: skip
"""Methods that lift single letters."""


def parts_of(fold: folds.Fold, half_name: str, scale: float | None = None) -> Parts:
    """Letters of a half as parts with tiers; the `scale` of margins defaults to tier 0's median."""
    half, pairs = getattr(fold, half_name), getattr(fold, f"{half_name}_pairs")
    pairwise = np.ascontiguousarray(pairs[:, -1])
    scores = half.tiered.astype(np.float64)
    n = len(half.labels)
    if scale is None:
        tables = np.empty((n, handwriting.N_STATES))
        for p in range(len(pairs)):
            words, rows = folds.rows_of_part(half, p)
            unary = np.ascontiguousarray(scores[rows, 0])
            tables[rows] = max_marginals_batch(unary, half.lengths[words], pairwise[p]).unary
        scale = typical_margin(tables)
    model = np.repeat(half.part, half.lengths).astype(np.int64)
    return Parts(
        scores=scores,
        pairwise=pairwise,
        transposed=transposed_tables(pairwise),
        step=np.ascontiguousarray(np.repeat(model[:, None], N_TIERS, axis=1)),
        starts=half.starts,
        loss=(half.labels[:, None] != np.arange(handwriting.N_STATES)).astype(np.int64),
        seen=getattr(fold, f"seen_{half_name}"),
        looks=no_looks(n),
        places=no_looks(n),
        scale=max(scale, 1e-9),
        bits=symbol_bits(handwriting.N_STATES),
    )


def curves(fold, rng) -> list[dict]:
    """Curves of all policies on the test words, letter by letter and word by word, and their settings."""
    # The shares ``chosen`` are found on training words held out for development, for the loss of exact
    # messages with all features.
    train_parts = parts_of(fold, "train")
    test_parts = parts_of(fold, "test", train_parts.scale)
    policy, imitation, dev = part_policy.train(train_parts, rng)
    dev_parts, _ = train_parts.some(dev)
    on_dev, on_test = (
        part_policy.Learned(
            policy.beta, policy.myopic, imitation, rng.random((len(parts.scores), N_TIERS - 1)), {}
        )
        for parts in (dev_parts, test_parts)
    )
    everything = np.full(len(dev_parts.scores), N_TIERS - 1)
    dev_loss = dev_parts.losses_if(everything, everything)[0].sum()
    out = []
    for key, q, scale in _rows_about_letters():
        how = part_policy.rule_of(METHODS[key], on_test, q=q, scale=scale)
        row = {"method": METHODS[key].name, "level": "letter", "q": q, "scale": scale}
        row |= part_policy.points(test_parts, part_policy.spend(test_parts, how))
        dev_rule = part_policy.rule_of(METHODS[key], on_dev, q=q, scale=scale)
        row["chosen"] = part_policy.chosen_budgets(dev_parts, dev_rule, loss=dev_loss)
        out.append(row)
    out += _word_level(fold, rng)
    about = {"gamma": policy.gamma, "alpha": policy.alpha, "penalty": policy.penalty}
    return out, about


def _rows_about_letters():
    """(method, q, scale) of every letter-level row."""
    for key in LETTERS:
        for q in TOLERANCES if key in ("dms_pi", "greedy") else TOLERANCES[:1]:
            yield key, q, "range"
        if key == "dms_pi":
            yield from ((key, q, "margin") for q in TOLERANCES[1:])


def _word_level(fold, rng):
    """Word-level actions of the tiered model: values of the next step alone, and with later steps."""
    train, test = look_tiered(fold, "train"), look_tiered(fold, "test")
    for key, bought in batch_selection.whole_orders(train, test, COSTS, rng).items():
        curve = batch_selection.row_of(METHODS[key].name, bought, test.losses, fold.test.lengths)
        row = {"method": curve["method"], "level": "word", "q": 0.0, "scale": "range", "messages": 1.0}
        share, tiers = curve["share"].mean(axis=1), curve["share"]
        yield row | {"share": share, "error": curve["error"], "tiers": tiers}


def look_tiered(fold, half_name):
    """`look` for the tiered model, whole words at one tier."""
    half, pairs = getattr(fold, half_name), getattr(fold, f"{half_name}_pairs")
    as_plain = half._replace(plain=half.tiered)
    same = np.repeat(pairs[:, -1:], N_TIERS, axis=1)
    swapped = fold._replace(**{half_name: as_plain, f"{half_name}_pairs": same})
    return look(swapped, half_name)
