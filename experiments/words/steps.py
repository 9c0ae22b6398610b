r"""Words with costly features of letter pairs, bought with the letters or separately (thesis (7.12)).

A step's feature describes its two letters where they face each other: the right half of the first next to the
left half of the second, its HoG (as coarse and as fine as a letter's), and the nearest of the `N_KINDS`
centres, its kind. It scores a pair of letters by how much likelier the pair makes the kind,

.. math:: p^t(j, k) = p(j, k) + s \log \frac{P(\mathrm{kind}_t | j, k)}{P(\mathrm{kind}_t)}

counted on the training words that the letters' model has learned from. There is one kind of data, and it is
not the papers', which have no costly step features of handwriting.
"""

from dataclasses import asdict
from functools import partial

import numpy as np

from spcviz.engine import checks
from spcviz.engine.chains.quiescent import transposed_tables
from spcviz.learning.budgets import part_policy
from spcviz.learning.budgets.chains.factors import Factors
from spcviz.learning.budgets.expansion import last_within
from spcviz.learning.budgets.methods import METHODS
from spcviz.problems.letters import handwriting
from spcviz.problems.letters.handwriting import batch_hog
from spcviz.problems.words.model import dms_pi, folds, resource_constraints
from spcviz.problems.words.model.folds import N_TIERS
from spcviz.registry.problem import Run
from spcviz.shared.report import describe, mean_and_sd
from spcviz.shared.work.disk_cache import load_or_compute
from spcviz.shared.work.jobs import expect

N_KINDS = 8
N_CENTRES_FROM = 4000
"""Number of steps on which the centres of the kinds are found."""

STRENGTHS = (0.1, 0.25, 0.5, 1.0, 2.0)
"""Values of s to choose from, in units of the spread of the step table."""

N_LEARN = 2000
"""Training words that policies are learned from, a third of them for development."""

UNITS = np.concatenate([[0.0], np.round(np.geomspace(0.02, 4.0, 59), 4)])
"""Units per letter: 1 is a tier of a letter or of a step."""

N_FOLDS = 4
"""Test folds, of the ten: policies of letters and steps take as long as all others together."""

CODE = ("experiments.words.steps",)
"""The module that computes what is stored here."""


def result(run: Run) -> dict:
    """Letters, letters with their steps, and steps bought separately (7.12), on the first test folds."""
    n_folds = checks.integer("folds", N_FOLDS if run.folds is None else run.folds, 1, handwriting.N_FOLDS)
    settings = folds.settings_for(run.quick)
    expect(run.tick, n_folds)
    outcomes = [run_fold(fold, settings, run.work, run.tick) for fold in range(n_folds)]
    return describe(
        run.name,
        "Weiss (2013), thesis, (7.12); features of steps are this project's",
        means(outcomes),
        baselines=[],
        settings={"kinds": N_KINDS, "strengths": STRENGTHS, "training_words": N_LEARN}
        | {"random_state": folds.RANDOM_STATE},
        data={"ocr": handwriting.load_words()._asdict()},
        fold_rows=[{"fold": fold, "rows": outcome["rows"]} for fold, outcome in enumerate(outcomes)],
        folds=n_folds,
    )


def run_fold(index, settings, folder, tick):
    """`curves` of one fold, from the work folder if stored there: dict with ``rows`` and ``strength``."""

    def make():
        rng = np.random.default_rng([folds.RANDOM_STATE, index, 2])
        rows, strength = curves(folds.fold_models("ocr", index, settings, folder, tick), rng)
        return {"rows": rows, "strength": strength}

    key = {"fold": index, "settings": asdict(settings), "data": folds.data_digest("ocr")}
    outcome = load_or_compute(folder, f"steps-ocr-fold{index}", key, CODE, make)
    tick(f"steps fold {index}")
    return outcome


def facing(pixels):
    """Images of letters where they meet the previous one, (R, 16, 8); the first one means nothing."""
    before = np.concatenate([pixels[:1], pixels[:-1]])
    half = pixels.shape[2] // 2
    return np.concatenate([before[:, :, half:], pixels[:, :, :half]], axis=2).astype(np.float64)


def kinds_of(pixels, n_train, seed):
    """Kind of every step at every tier but the first, (R, T - 1); centres from some of the first n_train."""
    from sklearn.cluster import KMeans  # takes a second to import, and only fitting needs it

    images = facing(pixels)
    padded = np.pad(images, ((0, 0), (1, 1), (1, 1)))
    sample = np.random.default_rng(seed).choice(n_train, min(N_CENTRES_FROM, n_train), replace=False)
    out = np.empty((len(images), N_TIERS - 1), dtype=np.int64)
    for t, (pictures, cell) in enumerate(((padded, 3), (images, 2))):
        hog = batch_hog(pictures, cell)
        clusters = KMeans(N_KINDS, n_init=1, max_iter=50, random_state=seed).fit(hog[sample])
        out[:, t] = clusters.predict(hog)
    return out


def log_ratios(kinds, labels, is_step):
    """log P(kind | pair) / P(kind) of each pair of letters, (N_KINDS, K, K); P(kind) is the prior."""
    n = handwriting.N_STATES
    count = np.zeros((N_KINDS, n, n))
    np.add.at(count, (kinds[is_step], labels[np.flatnonzero(is_step) - 1], labels[is_step]), 1.0)
    rate = count.sum(axis=(1, 2)) + 1.0
    rate /= rate.sum()
    prior = N_KINDS * rate[:, None, None]
    return np.log((count + prior) / (count.sum(axis=0) + N_KINDS) / rate[:, None, None])


def with_steps(
    half: folds.Half,
    parts,
    kinds: np.ndarray,
    learned_from: list[tuple[np.ndarray, np.ndarray, np.ndarray]],
    strength: float,
):
    """`Parts` whose steps have their own tables at every tier, counted on other words (`learned_from`)."""
    tables, step = [], np.repeat(half.part, half.lengths)[:, None].repeat(N_TIERS, axis=1)
    spread = float(parts.pairwise.std())
    for p, (known_kinds, labels, is_step) in enumerate(learned_from):
        rows = np.repeat(half.part, half.lengths) == p
        step[rows, 0] = len(tables)
        tables.append(parts.pairwise[p])
        for t in range(1, N_TIERS):
            step[rows, t] = len(tables) + kinds[rows, t - 1]
            tables += list(
                parts.pairwise[p] + strength * spread * log_ratios(known_kinds[:, t - 1], labels, is_step)
            )
    tables = np.ascontiguousarray(tables)
    return parts._replace(pairwise=tables, transposed=transposed_tables(tables), step=step)


def worlds(fold):
    """(training words, test words, strength) as `Parts` with steps; the strength chosen on training words."""
    train = dms_pi.parts_of(fold, "train")
    test = dms_pi.parts_of(fold, "test", train.scale)
    pixels = [resource_constraints.pixels_of(half) for half in (fold.train, fold.test)]
    n_train = len(pixels[0])
    kinds = kinds_of(np.concatenate(pixels), n_train, folds.RANDOM_STATE)
    kinds, of_test = kinds[:n_train], kinds[n_train:]
    is_step = np.ones(n_train, dtype=bool)
    is_step[fold.train.starts[:-1]] = False
    parts = np.repeat(fold.train.part, fold.train.lengths)
    others = [(kinds, fold.train.labels, is_step & (parts != p)) for p in range(fold.train.part.max() + 1)]
    learn = partial(with_steps, fold.train, train, kinds, others)

    def lost(strength):
        tiers = np.full(n_train, N_TIERS - 1)
        return learn(strength).losses_if(tiers, tiers)[0].sum()

    strength = min(STRENGTHS, key=lost)
    everything = [(kinds, fold.train.labels, is_step)]
    return learn(strength), with_steps(fold.test, test, of_test, everything, strength), strength


def curves(fold, rng) -> tuple[list[dict], float]:
    """DMS-pi with letters alone, with steps bought along and separately, on test words; steps' strength."""
    # ``chosen``: the units with which training words held out for development are read as well as with all
    # features.
    train, test, strength = worlds(fold)
    letters = [world._replace(step=world.step[:, :1].repeat(N_TIERS, axis=1)) for world in (train, test)]
    some = rng.permutation(len(train.starts) - 1)[:N_LEARN]
    seed, rows = rng.integers(2**62), []
    for key, pair in (
        ("dms_pi", letters),
        ("dms_pi_together", (train, test)),
        ("dms_pi_apart", (Factors(train), Factors(test))),
    ):
        learn, _ = pair[0].some(some)
        costs = [_costs(world, key) for world in (learn, pair[1])]
        policy, _, dev = part_policy.train(learn, np.random.default_rng(seed), costs[0])
        held, held_rows = learn.some(dev)
        row = _row(policy, (held, costs[0][held_rows]), (pair[1], costs[1]), len(test.scores))
        rows.append({"method": METHODS[key].name} | row)
    return rows, strength


def _costs(world, key):
    """Units of each action: a tier of a letter 1, of a step 1; a first letter has no step."""
    if key == "dms_pi_apart":
        return world.costs()
    costs = np.ones((world.shape[0], N_TIERS - 1))
    if key == "dms_pi_together":
        costs += 1.0
        costs[world.starts[:-1]] = 1.0
    return costs


def _row(policy, dev, test, n_letters):
    how = part_policy.rule(policy.beta)
    budget = part_policy.chosen_budgets(dev[0], how, dev[1])["final_error"]
    trajectory = part_policy.spend(test[0], how, costs=test[1])
    curve = part_policy.curve(test[0], trajectory, test[1])
    units = curve.cost * test[1].sum() / n_letters
    at = last_within(units, UNITS)
    chosen = int(last_within(curve.cost, min(budget, 1.0)))
    is_step = np.concatenate([[0.0], np.cumsum(trajectory.cost * (trajectory.tier >= N_TIERS))])
    paid = np.maximum(np.concatenate([[0.0], np.cumsum(trajectory.cost)]), 1e-12)
    error = 100 * curve.loss / n_letters
    return {
        "error": error[at].tolist(),
        "share_of_steps": (100 * is_step / paid)[at].tolist(),
        "final_error": float(error[-1]),
        "units": float(units[-1]),
        "chosen": {"units": float(units[chosen]), "error": float(error[chosen])},
    }


def means(outcomes: list[dict]) -> list[dict]:
    """One row for each method; ``error_minus_letters`` is the mean over `UNITS` up to all letters."""
    out = []
    for i, first in enumerate(outcomes[0]["rows"]):
        rows, letters = ([outcome["rows"][k] for outcome in outcomes] for k in (i, 0))
        errors = np.array([row["error"] for row in rows])
        within = letters[0]["units"] >= UNITS
        gaps = (errors - np.array([row["error"] for row in letters]))[:, within].mean(axis=1)
        shares = np.mean([row["share_of_steps"] for row in rows], axis=0)
        points = np.stack([UNITS, errors.mean(axis=0), shares], axis=1).tolist()
        row = {"method": first["method"], "strength": [outcome["strength"] for outcome in outcomes]}
        row["points"] = [dict(zip(("units", "error", "share_of_steps"), point)) for point in points]
        row["final_error"] = float(np.mean([fold_row["final_error"] for fold_row in rows]))
        row["units_in_all"] = float(np.mean([fold_row["units"] for fold_row in rows]))
        row |= mean_and_sd("units_chosen", [fold_row["chosen"]["units"] for fold_row in rows])
        row |= mean_and_sd("error_chosen", [fold_row["chosen"]["error"] for fold_row in rows])
        out.append(row | mean_and_sd("error_minus_letters", gaps))
    return out
