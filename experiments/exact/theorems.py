"""Bolukbasi et al.'s Theorems 2.1 to 2.3 on real handwritten words, every state and every policy enumerated.

For the first letters of a word, the upper half of the ink is free and the lower half can be bought: 2^n
states, read exactly by the model of `spcviz.problems.exact.page.live`. Costs are integers in quarters of a
wrong letter: 4 for a wrong letter, 1 for a letter bought. The theorems use three words of three letters, few
enough to enumerate every policy; the searches use words of five letters.
"""

import itertools

import numpy as np

from spcviz.engine.chains import chain
from spcviz.learning.budgets import classifiers, optimality
from spcviz.problems.letters import handwriting
from spcviz.problems.letters.page import landing
from spcviz.shared.report import describe, standard_error
from spcviz.shared.work.jobs import expect

N_PROBLEMS, N_WORDS = 20, 3  # per fold; words per problem
SHORT, LONG = 3, 5  # letters of a word: for the theorems, for the searches
MISTAKE, LETTER = 4, 1  # cost of a wrong letter and of a letter bought: lambda is a quarter
FREE = slice(0, 8)  # rows of ink that are free
CLASSES = {
    "word": "each word by itself",
    "length": "words of a length alike",
    "all": "one state for all",
}
SOURCE = "Bolukbasi et al., Resource Constrained Structured Prediction, Theorems 2.1 to 2.3"


def make(run):
    """The three theorems and the two searches, in the form of every result."""
    words = handwriting.load_words()
    folds = range(2 if run.quick else run.folds or handwriting.N_FOLDS)
    expect(run.tick, len(folds))
    fold_rows = []
    for fold in folds:
        rows = fold_result(words, fold)
        fold_rows.append({"fold": fold, "rows": rows})
        run.tick(f"fold {fold}")
    everything = [fold["rows"] for fold in fold_rows]
    rows = [_join_folds(same) for same in zip(*everything)]
    settings = {
        "problems_a_fold": N_PROBLEMS, "words_a_problem": N_WORDS, "letters_theorems": SHORT,
        "letters_searches": LONG, "cost_wrong_letter": MISTAKE, "cost_letter_bought": LETTER,
        "free": "upper half of each letter's ink", "folds": len(folds), "random_state": "(0, fold)",
    }  # fmt: skip
    used = {"letters": {"pixels": words.pixels, "labels": words.labels, "folds": words.folds}}
    return describe(
        "policy-theorems", SOURCE, rows, baselines=[], settings=settings, data=used, fold_rows=fold_rows
    )


def fold_result(words: handwriting.Words, fold: int) -> list[dict]:
    """Rows of a test fold, read by a model of the other folds' letters: ``violations``, and the share of
    problems where the surrogate goes ``astray``, with ``excess`` wrong letters per word.
    """
    rng = np.random.default_rng((0, fold))
    able = np.flatnonzero((words.folds == fold) & (words.lengths >= LONG))
    drawn = rng.choice(able, N_PROBLEMS * N_WORDS, replace=False)
    tables = letter_tables(words, words.folds != fold)
    short = np.array([state_costs(words, w, SHORT, tables) for w in drawn])
    problems = short.reshape(N_PROBLEMS, N_WORDS, -1)
    lengths = words.lengths[drawn].reshape(N_PROBLEMS, N_WORDS)
    rows = []
    for policies in CLASSES:
        checked = [_check(costs, length, policies) for costs, length in zip(problems, lengths)]
        counted = {"policies": policies, "n_problems": len(checked)}
        counted["n_policies"] = sum(c.n_policies for c in checked)
        theorems = ("2.1", "n_unequal", "least_by_sum"), ("2.2", "n_below", "least_by_bound")
        for theorem, violations, by in theorems:
            excess = [(getattr(c, by) - c.least) / N_WORDS for c in checked]
            rows.append(_row(theorem, counted, sum(getattr(c, violations) for c in checked), excess))
    rows.append(_anytime(problems))
    long = np.array([state_costs(words, w, LONG, tables) for w in drawn])
    rows += [_search(long, search) for search in ("trajectory", "parsimonious")]
    return rows


def letter_tables(words, is_training):
    """(log p(ink), log p(no ink) of each pixel, shape (26, 128); log p(next letter), shape (26, 26))."""
    training = np.repeat(is_training, words.lengths)
    labels = words.labels[training]
    count = np.zeros((handwriting.N_STATES, 128))
    np.add.at(count, labels, words.pixels[training].reshape(len(labels), -1))
    mean = (count + 1) / (np.bincount(labels, minlength=handwriting.N_STATES)[:, None] + 2)
    follows = training[:-1] & training[1:]
    follows[words.starts[1:-1] - 1] = False
    pairs = landing.pair_scores(words.labels[:-1][follows], words.labels[1:][follows])
    return np.log(mean), np.log1p(-mean), pairs


def state_costs(words, word, n_letters, tables):
    """Cost of each state of a word's first letters, shape (2^n,), int64: wrong letters and letters bought."""
    on, off, pairs = tables
    first = int(words.starts[word])
    ink = words.pixels[first : first + n_letters]
    truth = words.labels[first : first + n_letters]
    upper = np.zeros((16, 8), dtype=bool)
    upper[FREE] = True
    unary = []
    for bought in (False, True):
        used = np.where(upper | bought, 1.0, 0.0)
        dark, light = ((shade * used).reshape(n_letters, -1) for shade in (ink, 1 - ink))
        unary.append(landing.PIXEL_WEIGHT * (dark @ on.T + light @ off.T))
    costs = np.zeros(2**n_letters, dtype=np.int64)
    for state in range(len(costs)):
        bits = state >> np.arange(n_letters) & 1
        read = chain.decode(np.where(bits[:, None], unary[1], unary[0]), pairs).labels
        costs[state] = MISTAKE * (read != truth).sum() + LETTER * bits.sum()
    return costs


def _check(costs, lengths, policies):
    groups = {"word": np.arange(len(costs)), "all": np.zeros(len(costs), dtype=np.int64)}
    groups["length"] = np.unique(lengths, return_inverse=True)[1]
    classes = groups[policies]
    options = [range(costs.shape[1])] * (int(classes.max()) + 1)
    return optimality.check_one_shot(costs, optimality.all_policies(options, classes))


def _row(theorem, counted, violations, excess):
    excess = np.asarray(excess) / MISTAKE
    return {"theorem": theorem} | counted | {
        "violations": int(violations), "astray": float((excess > 0).mean()), "excess": float(excess.mean())
    }  # fmt: skip


def _anytime(problems):
    """Theorem 2.3 at every step of Algorithm 1, and its whole trajectory against the best order."""
    steps, excess = [], []
    for costs in problems:
        greedy = optimality.greedy_orders(costs)
        before = np.concatenate([np.zeros((len(costs), 1), dtype=np.int64), greedy[:, :-1]], axis=1)
        steps += [optimality.check_step(costs, reached) for reached in before.T]
        along = costs[np.arange(len(costs))[:, None], greedy].sum(axis=1)
        excess += list((along - optimality.best_orders(costs)) / greedy.shape[1])
    counted = {"policies": "word", "n_problems": len(steps), "n_policies": sum(c.n_policies for c in steps)}
    return _row("2.3", counted, sum(c.n_unequal for c in steps), excess)


def _search(costs, search):
    """A search for pseudo-labels against the best of all states; it makes no claim that could fail."""
    n_words, n_states = costs.shape
    n_letters = n_states.bit_length() - 1
    starts = np.arange(n_words + 1) * n_letters
    price = LETTER / MISTAKE

    def masks(tiers):
        return (tiers.reshape(n_words, n_letters) << np.arange(n_letters)).sum(axis=1)

    bits = np.array([bin(s).count("1") for s in range(n_states)])
    wrong = (costs - LETTER * bits) // MISTAKE

    def losses_if(tiers, targets):
        here, moved = masks(tiers), np.zeros(n_words * n_letters, dtype=np.int64)
        for w, i in itertools.product(range(n_words), range(n_letters)):
            to = int(targets[w * n_letters + i])
            moved[w * n_letters + i] = wrong[w, here[w] | to << i]  # a purchase is never undone
        return wrong[np.arange(n_words), here], moved

    if search == "trajectory":
        searched = classifiers.greedy_trajectories(losses_if, starts, 2)
        tiers = classifiers.trajectory_labels(searched, starts[-1], price)
    else:
        tiers = classifiers.parsimonious_labels(losses_if, int(starts[-1]), 2, price, starts)
    excess = costs[np.arange(n_words), masks(tiers)] - costs.min(axis=1)
    counted = {"policies": search, "n_problems": n_words, "n_policies": n_words * n_states}
    return _row("search", counted, 0, excess)


def _join_folds(same):
    """Merge the same row of several folds: counts added up, shares averaged with equal weights."""
    first = same[0]
    added = {key: sum(row[key] for row in same) for key in ("n_problems", "n_policies", "violations")}
    means = {key: float(np.mean([row[key] for row in same])) for key in ("astray", "excess")}
    spread = {f"{key}_se": standard_error([row[key] for row in same]) for key in means}
    return {"theorem": first["theorem"], "policies": first["policies"]} | added | means | spread
