"""The result ocr-open-rules: threshold rules on words that no list holds, beside the beam.

Shipped models, whose filters were trained for the thesis' rule. Thresholds are tuned on all development words
by every rule alike, and looked at on test words; what each has lost there stands beside what it leaves.
"""

import numpy as np

from spcviz.engine.ngrams.beam import beam_decode
from spcviz.learning.cascade.features import DenseRows, unary_scores
from spcviz.problems.letters.data import handwriting as letters
from spcviz.problems.open_words.data import word_images as data
from spcviz.problems.open_words.model import rules, stored
from spcviz.problems.open_words.model.cascade import SETTINGS
from spcviz.problems.open_words.model.ink import image_features, ink_scores, rows_for_cascade
from spcviz.registry.problem import Run
from spcviz.shared.report import describe
from spcviz.shared.work.disk_cache import ARRAYS, load_or_compute

TOLERANCES = {"fourier": (0.02, 0.01, 0.0035), "raw": (0.05, 0.03, 0.01)}
"""Of every level: the shipped model's own, a milder and a harder one."""

SETS = ("unseen", "natural")
AGAINST = "mean_max"
WIDTHS = (1, 2, 4, 8, 16, 32)
N_DRAWS = 500
CODE = ("spcviz.problems.open_words.model.rules", "spcviz.problems.open_words.model.stored")


def reproduce(run: Run) -> dict:
    """Rows by features, words, tolerance, rule and order; ``beams``: what a beam of the last model reads."""
    rows, beams, used = [], [], run.features or tuple(SETTINGS)
    for features in used:
        model = stored.load_open(run.models, features)
        dev = data.load_set("dev").words
        seen = {"dev": _ink_rows(model, dev)} | {
            name: _ink_rows(model, data.load_set(name).words) for name in SETS
        }
        about = {"features": features, "guarantee": None, "trained_on": "composed words (shipped model)"}
        about["train_alpha"] = list(model.settings.config.train_alphas)
        for share in TOLERANCES[features][: 1 if run.quick else None]:
            by_rule = {rule: _figures(run, model, features, rule, share, seen, dev) for rule in rules.RULES}
            for name in SETS:
                n = len(data.load_set(name).words.lengths)
                rng = np.random.default_rng(0)
                draws = [rng.multinomial(n, np.full(n, 1 / n)) for _ in range(N_DRAWS)]
                mine = {rule: _of_set(figures, name) for rule, figures in by_rule.items()}
                here = about | {"data": name, "tolerance": 100 * share, "words": n}
                for row in rules.compare_rules(mine, AGAINST, draws):
                    rows.append(here | row | {"settings": by_rule[row["rule"]]["settings"].tolist()})
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
            "chosen_on": "development words: types and letter images (fold 1) that training does not have",
        },
        data={"open_words": data.arrays_of(data.load_composed()), "ocr": letters.load_words()._asdict()},
        fold_rows=[
            {"fold": f"{name} {words}", "rows": [row for row in rows if _is_of(row, name, words)]}
            for name in used
            for words in SETS
        ],
        missing=missing(used),
    )


def missing(used) -> list[str]:
    """What a whole result has and this one has not, in sentences."""
    left = [name for name in SETTINGS if name not in used]
    never = "Filters were not trained anew: they are the shipped ones, trained for the thesis' rule."
    return [never, *(f"Not run: {name}." for name in left)]


def _is_of(row, features, words):
    return (row["features"], row["data"]) == (features, words)


def _figures(run, model, features, rule, share, seen, dev):
    """One rule at one tolerance on all sets of test words, kept."""

    def make():
        cascade = rules.tuned_cascade(model.cascade, rule, seen["dev"], dev, share)
        out = {"settings": np.array([level.alpha for level in cascade.levels])}
        for name in SETS:
            figures = rules.by_word(cascade, seen[name], data.load_set(name).words)
            out |= {f"{name}_{key}": values for key, values in figures.items()}
        run.tick(f"{features} {rule} {share}")
        return out

    key = {"features": features, "rule": rule, "share": share, "data": stored.data_digest()}
    key["model"] = [float(level.alpha) for level in model.cascade.levels]
    return load_or_compute(run.work, f"ocr-open-rules-{features}-{rule}-{share:g}", key, CODE, make, ARRAYS)


def _of_set(figures, name):
    return {key.partition("_")[2]: value for key, value in figures.items() if key.startswith(f"{name}_")}


def _ink_rows(model, words):
    scores = ink_scores(model.ink, image_features(model.settings.ink, words.pixels))
    return DenseRows(rows_for_cascade(scores, words.lengths))


def _beams(model, seen, words):
    """Words that a beam of the last order reads, by its width: states that it scores at each position."""
    predictor, order = model.cascade.levels[-1].predictor, len(model.cascade.levels)
    unary = unary_scores(seen, predictor.weights)
    starts = np.concatenate([[0], np.cumsum(words.lengths)])
    out = []
    for width in WIDTHS:
        read = beam_decode(predictor.table, unary, words.lengths, order, width)[1] == words.labels
        right = float(np.logical_and.reduceat(read, starts[:-1]).mean())
        out.append({"method": "beam", "order": order, "width": width, "word_accuracy": 100 * right})
    return out
