"""DMS-pi on handwriting, letter by letter and word by word: thesis Fig. 7.3."""

import numpy as np

from spcviz.engine.chain import max_marginals_batch
from spcviz.engine.ngrams import symbol_bits
from spcviz.engine.quiescent import is_margin, transposed_tables
from spcviz.learning.budgets import batch_selection
from spcviz.learning.budgets.chains import part_policy
from spcviz.learning.budgets.chains.parts import Parts
from spcviz.problems.letters import data
from spcviz.problems.words import dms, folds
from spcviz.problems.words.folds import N_TIERS

TOLERANCES = (0.0, 0.1, 0.25, 0.5, 0.75)
"""q of quiescent inference."""


def parts_of(fold, half_name, scale=None):
    """The letters of a fold's "train" or "test" words as parts with tiers.

    Parameters
    ----------
    fold : Fold
    half_name : {"train", "test"}
    scale : float, optional
        Margins are compared with it; the median margin at tier 0 if None.

    Returns
    -------
    Parts
    """
    half, pairs = getattr(fold, half_name), getattr(fold, f"{half_name}_pairs")
    pairwise = np.ascontiguousarray(pairs[:, -1])
    scores = half.tiered.astype(np.float64)
    n = len(half.labels)
    if scale is None:
        tables = np.empty((n, data.N_STATES))
        for p in range(len(pairs)):
            words, rows = folds.rows_of_part(half, p)
            unary = np.ascontiguousarray(scores[rows, 0])
            tables[rows] = max_marginals_batch(unary, half.lengths[words], pairwise[p]).unary
        scale = part_policy.typical_margin(tables)
    model = np.repeat(half.part, half.lengths).astype(np.int64)
    return Parts(
        scores=scores,
        pairwise=pairwise,
        transposed=transposed_tables(pairwise),
        step=np.ascontiguousarray(np.repeat(model[:, None], N_TIERS, axis=1)),
        starts=half.starts,
        loss=(half.labels[:, None] != np.arange(data.N_STATES)).astype(np.int64),
        seen=fold.seen,
        looks=part_policy.no_looks(n),
        places=part_policy.no_looks(n),
        scale=max(scale, 1e-9),
        bits=symbol_bits(data.N_STATES),
    )


def curves(fold, rng):
    """Curves of all policies on the test words of a fold, letters and words.

    Returns
    -------
    list of dict
        ``method``, ``level``, ``q``, ``scale``, ``share`` and ``error`` (S + 1,), ``tiers`` (S + 1, T - 1)
        share of letters lifted to each tier, ``messages`` share of a full pass, ``chosen`` shares.
    """
    train_parts = parts_of(fold, "train")
    test_parts = parts_of(fold, "test", train_parts.scale)
    policy, imitation, dev = part_policy.train(train_parts, rng)
    dev_parts, _ = part_policy.some_chains(train_parts, dev)
    out = []
    dev_rules = part_policy.rules(policy, imitation, dev_parts, rng)
    for name, how in part_policy.rules(policy, imitation, test_parts, rng).items():
        asked = TOLERANCES if name in ("q-learning", "greedy") else TOLERANCES[:1]
        for scale in ("range", "margin"):
            for q in asked:
                if scale == "margin" and (q == 0 or name != "q-learning"):
                    continue
                here = how._replace(tolerance=q, by_margin=is_margin(scale))
                row = {"method": name, "level": "letter", "q": q, "scale": scale}
                row |= part_policy.points(test_parts, part_policy.spend(test_parts, here))
                if q == 0.0:
                    row["chosen"] = part_policy.chosen_budgets(dev_parts, dev_rules[name])
                out.append(row)
    out += _word_level(fold, rng)
    about = {"gamma": policy.gamma, "alpha": policy.alpha, "penalty": policy.penalty}
    return out, about


def _word_level(fold, rng):
    """Word-level actions of the tiered model: values of the next step, and values with what may follow."""
    train, test = look_tiered(fold, "train"), look_tiered(fold, "test")
    out = []
    for name, bought in batch_selection.whole_orders(train, test, dms.COSTS, rng).items():
        found = batch_selection.row_of(name, bought, test.losses, fold.test.lengths)
        row = {"method": name, "level": "word", "q": 0.0, "scale": "range", "messages": 1.0}
        row |= {"share": found["share"].mean(axis=1), "error": found["error"], "tiers": found["share"]}
        out.append(row)
    return out


def look_tiered(fold, half_name):
    """`dms.look` for the tiered model, whole words at one tier."""
    half, pairs = getattr(fold, half_name), getattr(fold, f"{half_name}_pairs")
    as_plain = half._replace(plain=half.tiered)
    same = np.repeat(pairs[:, -1:], N_TIERS, axis=1)
    swapped = fold._replace(**{half_name: as_plain, f"{half_name}_pairs": same})
    return dms.look(swapped, half_name)
