"""DMS-pi on handwriting, letter by letter and word by word: thesis Fig. 7.3."""

import numpy as np

from spcviz.engine.chains.chain import max_marginals_batch
from spcviz.engine.chains.quiescent import transposed_tables
from spcviz.engine.ngrams.table import symbol_bits
from spcviz.learning.budgets import batch_selection, part_policy
from spcviz.learning.budgets.chains.parts import Parts, no_looks, typical_margin
from spcviz.learning.budgets.methods import METHODS
from spcviz.problems.letters.data import handwriting
from spcviz.problems.words.model import dms, folds
from spcviz.problems.words.model.folds import N_TIERS

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
    for key, bought in batch_selection.whole_orders(train, test, dms.COSTS, rng).items():
        curve = batch_selection.row_of(METHODS[key].name, bought, test.losses, fold.test.lengths)
        row = {"method": curve["method"], "level": "word", "q": 0.0, "scale": "range", "messages": 1.0}
        share, tiers = curve["share"].mean(axis=1), curve["share"]
        yield row | {"share": share, "error": curve["error"], "tiers": tiers}


def look_tiered(fold, half_name):
    """`dms.look` for the tiered model, whole words at one tier."""
    half, pairs = getattr(fold, half_name), getattr(fold, f"{half_name}_pairs")
    as_plain = half._replace(plain=half.tiered)
    same = np.repeat(pairs[:, -1:], N_TIERS, axis=1)
    swapped = fold._replace(**{half_name: as_plain, f"{half_name}_pairs": same})
    return dms.look(swapped, half_name)
