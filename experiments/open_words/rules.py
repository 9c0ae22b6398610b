"""The result ocr-open-rules: threshold rules on words that no list holds, next to the beam.

First come the shipped models, whose filters were trained for the thesis' rule, then a cascade trained for
each rule with the same candidates at every level. Every rule's thresholds are tuned on all development words
and evaluated on test words; the rows give what each rule loses there and what it leaves.
"""

from dataclasses import asdict, replace

import numpy as np

from spcviz.engine.ngrams.beam import beam_decode
from spcviz.learning.cascade.features import DenseRows, unary_scores
from spcviz.problems.letters import handwriting as letters
from spcviz.problems.open_words.data import word_images as data
from spcviz.problems.open_words.model import cascade as experiment
from spcviz.problems.open_words.model import rivals, stored
from spcviz.problems.open_words.model.cascade import SETTINGS
from spcviz.problems.open_words.model.ink import image_features, ink_scores, rows_for_cascade
from spcviz.registry.problem import Run
from spcviz.shared.report import describe
from spcviz.shared.work.disk_cache import ARRAYS, load_or_compute
from spcviz.shared.work.jobs import run_all

TOLERANCES = {"fourier": (0.02, 0.01, 0.0035), "raw": (0.05, 0.03, 0.01)}
"""Tolerances of every level: the shipped model's own, a milder and a stricter one."""

SETS = ("unseen", "natural")
AGAINST = "mean_max"
WIDTHS = (1, 2, 4, 8, 16, 32)
N_DRAWS = 500
CODE = ("spcviz.problems.open_words.model.rivals", "spcviz.problems.open_words.model.stored")

TRAINED = ("mean_max", "margin")
"""Rules that a cascade is trained for."""

TRAIN_ALPHAS, TRAIN_MARGINS = (0.2, 0.5, 0.8, 0.95), (0.0,)
"""Candidates at every level of these; with margin 0 the hinge is the structured SVM's."""


def reproduce(run: Run) -> dict:
    """Rows by features, words, tolerance, rule and order; ``baselines``: accuracy of a beam with the last
    model; ``trained``: the same rows for cascades trained for each rule."""
    rows, beams, used = [], [], run.features or tuple(SETTINGS)
    jobs = [(features, rule, run.quick, run.work) for features in used for rule in TRAINED]
    own = dict(zip([job[:2] for job in jobs], run_all(run.executor, trained_figures, jobs, run.tick)))
    for features in used:
        model = stored.load_open(run.models, features)
        dev = data.load_set("dev").words
        seen = {"dev": _ink_rows(model, dev)} | {
            name: _ink_rows(model, data.load_set(name).words) for name in SETS
        }
        about = {"features": features, "guarantee": None, "trained_on": "composed words (shipped model)"}
        about["train_alpha"] = list(model.settings.config.train_alphas)
        for share in TOLERANCES[features][: 1 if run.quick else None]:
            by_rule = {rule: _figures(run, model, features, rule, share, seen, dev) for rule in rivals.RULES}
            rows += [about | row for row in _compare_rules(by_rule, share)]
        for name in SETS:
            words = data.load_set(name).words
            beams += [{"features": features, "data": name} | row for row in _beams(model, seen[name], words)]
    return describe(
        run.name,
        "Weiss (2013), thesis, section 4.3, on words of an open vocabulary, by other threshold rules",
        rows,
        baselines=beams,
        settings={
            "tolerances": {name: TOLERANCES[name] for name in used},
            "trained": {
                name: {rule: asdict(rule_settings(name, rule, run.quick)) for rule in TRAINED}
                for name in used
            },
            "chosen_on": "development words: types and letter images (fold 1) that training does not have",
        },
        data={"open_words": data.arrays_of(data.load_composed()), "ocr": letters.load_words()._asdict()},
        fold_rows=[
            {"fold": f"{name} {words}", "rows": [row for row in rows if _is_of(row, name, words)]}
            for name in used
            for words in SETS
        ],
        trained=[row for name in used for row in _trained_rows(own, name, run.quick)],
        missing=missing(used),
    )


def rule_settings(features: str, rule: str, quick: bool = False) -> experiment.OpenSettings:
    """The shipped model's settings, with every candidate of this study and another threshold rule."""
    settings = experiment.settings_for(features, quick=quick)
    more = {"rule": rule, "train_alphas": TRAIN_ALPHAS, "train_margins": TRAIN_MARGINS}
    return replace(settings, config=replace(settings.config, **more))


def trained_figures(features: str, rule: str, quick: bool, folder) -> dict[str, np.ndarray]:
    """A cascade trained for a rule and tuned to each tolerance: one worker's job, stored in `folder`.

    By tolerance, set of words and figure: the arrays of `_tuned_figures`, their names prefixed by the
    tolerance; ``hinges`` (levels, 2): the training alpha and the structured SVM's margin, nan where the other
    was chosen.
    """
    settings = rule_settings(features, rule, quick)

    def make():
        trained = experiment.train(settings)
        model = stored.round_weights(trained.model)
        dev = data.load_set("dev").words
        seen = {name: _ink_rows(model, data.load_set(name).words) for name in ("dev", *SETS)}
        hinges = [[report["train_alpha"], report["train_margin"]] for report in trained.reports]
        out = {"hinges": np.array(hinges, dtype=float)}
        for share in TOLERANCES[features]:
            figures = _tuned_figures(model, rule, share, seen, dev)
            out |= {f"{share:g} {name}": values for name, values in figures.items()}
        return out

    key = {"settings": asdict(settings), "tolerances": TOLERANCES[features], "data": stored.data_digest()}
    code = (*CODE, "spcviz.problems.open_words.model.cascade", "spcviz.learning.cascade.from_prior")
    return load_or_compute(folder, f"ocr-open-trained-{features}-{rule}", key, code, make, ARRAYS)


def _trained_rows(own, features, quick):
    """Rows of the cascades trained for each rule, tolerance by tolerance."""
    for share in TOLERANCES[features][: 1 if quick else None]:
        head, by_rule = f"{share:g} ", {}
        for rule in TRAINED:
            figures = own[features, rule]
            by_rule[rule] = {
                name.removeprefix(head): values for name, values in figures.items() if name.startswith(head)
            }
        about = {"features": features, "guarantee": None, "trained_on": "composed words"}
        for row in _compare_rules(by_rule, share):
            alpha, margin = own[features, row["rule"]]["hinges"][row["order"] - 1]
            hinge = {"train_alpha": _number(alpha), "train_margin": _number(margin)}
            yield about | hinge | row


def _number(value):
    return None if np.isnan(value) else float(value)


def _compare_rules(by_rule, share):
    """Rows of every rule on both sets of test words at a tolerance, n-grams over the thesis' rule's."""
    for name in SETS:
        n = len(data.load_set(name).words.lengths)
        rng = np.random.default_rng(0)
        draws = [rng.multinomial(n, np.full(n, 1 / n)) for _ in range(N_DRAWS)]
        mine = {rule: _of_set(figures, name) for rule, figures in by_rule.items()}
        here = {"data": name, "tolerance": 100 * share, "words": n}
        for row in rivals.compare_rules(mine, AGAINST, draws):
            yield here | row | {"settings": by_rule[row["rule"]]["settings"].tolist()}


def missing(used) -> list[str]:
    """Sentences on what this result lacks of a full one."""
    left = [name for name in SETTINGS if name not in used]
    return [f"Not run: {name}." for name in left]


def _is_of(row, features, words):
    return (row["features"], row["data"]) == (features, words)


def _figures(run, model, features, rule, share, seen, dev):
    """One rule at one tolerance on all sets of test words, stored in the work folder."""

    def make():
        out = _tuned_figures(model, rule, share, seen, dev)
        run.tick(f"{features} {rule} {share}")
        return out

    key = {"features": features, "rule": rule, "share": share, "data": stored.data_digest()}
    key["model"] = [float(level.alpha) for level in model.cascade.levels]
    return load_or_compute(run.work, f"ocr-open-rules-{features}-{rule}-{share:g}", key, CODE, make, ARRAYS)


def _tuned_figures(model, rule, share, seen, dev):
    """``settings`` (levels,) tuned on development words, and `by_word` of each set, prefixed by its name."""
    cascade = rivals.tuned_cascade(model.cascade, rule, seen["dev"], dev, share)
    out = {"settings": np.array([level.alpha for level in cascade.levels])}
    for name in SETS:
        figures = rivals.by_word(cascade, seen[name], data.load_set(name).words)
        out |= {f"{name}_{key}": values for key, values in figures.items()}
    return out


def _of_set(figures, name):
    return {key.partition("_")[2]: value for key, value in figures.items() if key.startswith(f"{name}_")}


def _ink_rows(model, words):
    scores = ink_scores(model.ink, image_features(model.settings.ink, words.pixels))
    return DenseRows(rows_for_cascade(scores, words.lengths))


def _beams(model, seen, words):
    """Words that a beam of the last order reads, by its width: the states it scores at each position."""
    predictor, order = model.cascade.levels[-1].predictor, len(model.cascade.levels)
    unary = unary_scores(seen, predictor.weights)
    starts = np.concatenate([[0], np.cumsum(words.lengths)])
    out = []
    for width in WIDTHS:
        read = beam_decode(predictor.table, unary, words.lengths, order, width)[1] == words.labels
        right = float(np.logical_and.reduceat(read, starts[:-1]).mean())
        out.append({"method": "beam", "order": order, "width": width, "word_accuracy": 100 * right})
    return out
