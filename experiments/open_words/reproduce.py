"""The result ocr-open: cascades on an open vocabulary against beam search and a dictionary.

All methods see the same 26 scores per letter; beams and cascades use the same learned models. Times are CPU
microseconds from scores to labels, alternating on the same batches; orders, widths and weights are chosen on
development words.
"""

import time
from dataclasses import asdict, replace
from itertools import product

import numpy as np

from benchmarks.cascades import BATCH, batches_of, dense_labels
from experiments.tagging.equal_loss import draws, interval
from spcviz.engine.ngrams.beam import beam_decode
from spcviz.engine.ngrams.dense import dense_model
from spcviz.learning.cascade.cascade import accuracies, decode_examples
from spcviz.learning.cascade.features import DenseRows, unary_scores
from spcviz.problems.letters import handwriting as letters
from spcviz.problems.open_words.data import word_images as data
from spcviz.problems.open_words.data.tracing import redraw
from spcviz.problems.open_words.model import stored
from spcviz.problems.open_words.model.cascade import (
    RANDOM_STATE,
    SETTINGS,
    OpenModel,
    evaluate,
    image_frequencies,
    prior,
    prior_counts,
)
from spcviz.problems.open_words.model.cascade import priors as begun_at
from spcviz.problems.open_words.model.ink import image_features, ink_scores, rows_for_cascade
from spcviz.problems.open_words.model.rivals import dictionary, read_by_dictionary
from spcviz.registry.problem import Run
from spcviz.shared.clock import turns_us
from spcviz.shared.report import describe

SETS = ("unseen", "natural")
DEV = "dev"
WIDTHS = (1, 2, 3, 4, 6, 8, 12, 16, 24, 32)
BEAM_ORDERS = (3, 4, 5, 6)
DENSE_ORDERS = 4
N_TIMED = 256
REPEATS = 9
N_REDRAWN = 100
CHOSEN_ON = "development words"
EQUAL = 1.0


def reproduce(run: Run) -> dict:
    """Cascades, beams, exact search and a dictionary on three sets of words: rows of ocr-open.

    ``chosen``: see `chosen_of`; ``priors``: see `priors`; ``ink``: letters right and CPU microseconds per
    word from pixels to scores; ``redrawn``: see `redrawn`.
    """
    rows, ink_rows, redrawn_rows, chosen, prior_rows, used = [], [], [], [], [], {}
    for features in run.features or tuple(SETTINGS):
        model, about = stored.load_open(run.models, features), {"features": features}
        methods = _methods(model)
        for name in (DEV, *SETS):
            words, here = data.load_set(name).words, {"data": name} | about
            seen, ink_row = _score_ink(model, words)
            ink_rows.append(here | ink_row)
            measured, is_right = _measure_methods(methods, seen, words)
            turns = _time_methods(methods, seen, words, REPEATS if not run.quick else 1)
            sizes = {row["order"]: row for row in evaluate(model, seen, words)}
            for key, row in measured.items():
                # a dictionary has no prior to start from
                prior = None if row["method"] == "dictionary" else model.settings.prior
                size_row = sizes[row["order"]] if row["method"] == "cascade" else {}
                more = {
                    "us_per_word": float(np.median(turns[key])),
                    "us_per_word_turns": turns[key],
                    "chosen_on": CHOSEN_ON,
                }
                rows.append(here | {"prior": prior} | row | size_row | more)
            if name != DEV:
                _compare(rows, chosen[-1], name, is_right)
            else:
                chosen.append(about | chosen_of(rows, features))
                prior_rows += [about | row for row in measure_priors(model, seen, words, run.quick)]
            run.tick(f"{features} {name}")
        redrawn_rows.append(about | redrawn(model))
        used[features] = asdict(model.settings) | {"ink": list(model.settings.ink)}
    folds = [(features, name) for features in used for name in (DEV, *SETS)]
    return describe(
        run.name,
        "Weiss (2013), thesis, section 4.5.2, on words of an open vocabulary",
        rows,
        baselines=[],
        settings={
            "settings": used,
            "random_state": RANDOM_STATE,
            "chosen_on": "development words: types and letter images (fold 1) that training does not have",
            "time": "CPU microseconds a word of this process, from ink scores to labels: median of "
            f"{REPEATS} turns over the same {N_TIMED} words, {BATCH} a call, all methods in each turn",
        },
        data={"open_words": data.arrays_of(data.load_composed()), "ocr": letters.load_words()._asdict()},
        fold_rows=[{"fold": " ".join(fold), "rows": _drop_times(rows, *fold)} for fold in folds],
        chosen=chosen,
        priors=prior_rows,
        ink=ink_rows,
        sets=[_about_set(name) for name in SETS],
        redrawn=redrawn_rows,
    )


def _compare(rows, chosen, name, is_right):
    """Add to the rows of chosen beams how many more words the chosen cascade reads, paired by word."""
    ours = is_right["cascade", *chosen["cascade"].values()]
    weights = draws(len(ours))
    for pick in filter(None, (chosen["in_its_time"], chosen["as_many"])):
        gap = 100 * (weights @ (ours - is_right["beam", *pick.values()])) / weights.sum(axis=1)
        wanted = {"data": name, "features": chosen["features"], "method": "beam"} | pick
        row = next(row for row in rows if wanted.items() <= row.items())
        row |= {"cascade_minus": float(gap[0]), "cascade_minus_interval": list(interval(gap))}


def _drop_times(rows, features, name):
    mine = [row for row in rows if (row["features"], row["data"]) == (features, name)]
    return [{key: value for key, value in row.items() if not key.startswith("us_")} for row in mine]


def chosen_of(rows: list[dict], features: str) -> dict:
    """The methods compared for a set of features, chosen on development words; ties go to the faster one.

    ``cascade``: the order that reads the most words; ``in_its_time``: the beam that reads the most among
    those that take no more time; ``paying``: the order whose time is the smallest share of that of
    ``as_many``, the fastest beam that reads at least as many words, and at most `EQUAL` percentage points
    more. None where there is none.
    """
    dev_rows = [row for row in rows if (row["features"], row["data"]) == (features, DEV)]
    beams = [row for row in dev_rows if row["method"] == "beam"]
    reach = max((row["order"] for row in beams), default=99)
    cascades = [row for row in dev_rows if row["method"] == "cascade" and row["order"] <= reach]

    def most(some):
        return max(some, key=lambda row: (row["word_accuracy"], -row["us_per_word"]), default=None)

    cascade = most(cascades)
    timely = [row for row in beams if row["us_per_word"] <= cascade["us_per_word"]]
    pairs = [(row, beam) for row in cascades if (beam := _as_many(row, beams))]
    pairs = [(row, beam) for row, beam in pairs if beam["word_accuracy"] - row["word_accuracy"] <= EQUAL]
    share = {"key": lambda pair: pair[0]["us_per_word"] / pair[1]["us_per_word"]}
    paying, beam = min(pairs, default=(None, None), **share)
    picks = {"cascade": cascade, "in_its_time": most(timely), "paying": paying, "as_many": beam}
    return {name: row and {key: row[key] for key in ("order", "width")} for name, row in picks.items()}


def _as_many(row, beams):
    """The fastest beam that reads at least as many words as a row; None if no beam does."""
    right = [beam for beam in beams if beam["word_accuracy"] >= row["word_accuracy"]]
    return min(right, key=lambda beam: beam["us_per_word"], default=None)


def _about_set(name):
    composed, words = data.load_composed(), data.load_set(name)
    return {
        "data": name,
        "words": len(words.types),
        "types": len(np.unique(words.types)),
        "known_share": 100 * float((composed.share[words.types] == 0).mean()),
        "training_types": int((composed.share == 0).sum()),
    }


def _score_ink(model, words):
    """(the cascade's input, a row of letters right by ink alone and the time for the ink)."""
    begin = time.process_time()
    scores = ink_scores(model.ink, image_features(model.settings.ink, words.pixels))
    seconds = time.process_time() - begin
    right = 100 * float((scores.argmax(axis=1) == words.labels).mean())
    row = {"letters_right": right, "us_ink_per_word": 1e6 * seconds / len(words.lengths)}
    return DenseRows(rows_for_cascade(scores, words.lengths)), row


def redrawn(model: OpenModel, n_words: int = N_REDRAWN) -> dict:
    """Percent of letters right in words of unseen types, as they are and redrawn as strokes."""
    words = data.load_set("unseen").words
    lengths = words.lengths[:n_words]
    n = int(lengths.sum())
    labels, out = words.labels[:n], {"letters": n, "words": len(lengths)}
    for name, pixels in (("", words.pixels[:n]), ("_redrawn", redraw(words.pixels[:n]))):
        table = model.features(pixels, lengths)
        by_ink = table.values[:, : letters.N_STATES].argmax(axis=1)
        read = decode_examples(model.cascade, table, lengths).labels
        out[f"by_ink{name}"] = 100 * float((by_ink == labels).mean())
        out[f"by_cascade{name}"] = 100 * float((read == labels).mean())
    return out


def _methods(model):
    """{(method, order, width): function of features and lengths that returns labels}."""
    levels, begin = model.cascade.levels, begun_at(model.settings)
    out = {}
    for order in range(1, len(levels) + 1):
        out["cascade", order, None] = _cascade_run(model.cascade._replace(levels=levels[:order]))
    for order in range(1, min(DENSE_ORDERS, len(levels)) + 1):
        out["dense", order, None] = _dense_run(levels[order - 1].predictor, order)
        out["ngram", order, None] = _dense_run(begin[order - 1], order)
    for order, width in product((n for n in BEAM_ORDERS if n <= len(levels)), WIDTHS):
        out["beam", order, width] = _beam_run(levels[order - 1].predictor, order, width)
    out["dictionary", None, None] = _dictionary_run(begin[0])
    return out


def _cascade_run(cascade):
    if len(cascade.levels) == 1:
        return _dense_run(cascade.levels[0].predictor, 1)
    return lambda table, lengths: decode_examples(cascade, table, lengths).labels


def _dense_run(model, order):
    exact = [dense_model(model.table, n) for n in range(1, order + 1)]
    return lambda table, lengths: dense_labels(exact, unary_scores(table, model.weights), lengths)


def _beam_run(model, *how):
    return lambda table, lengths: beam_decode(model.table, unary_scores(table, model.weights), lengths, *how)[
        1
    ]


def _dictionary_run(model):
    """Read words as training types by ink alone, weighted by their frequency."""
    composed = data.load_composed()
    is_known = composed.share == 0
    labels, lengths = data.encode_words(composed.types[is_known])
    known = dictionary(labels, lengths, np.log(composed.counts[is_known]))
    ink_only = model.weights.copy()
    ink_only[letters.N_STATES] = 0.0  # no frequencies of letters, at the beginning of words or overall
    ink_only[-1] = 0.0
    return lambda table, lengths: read_by_dictionary(known, unary_scores(table, ink_only), lengths)


def _measure_methods(methods, seen, words):
    starts = np.concatenate([[0], np.cumsum(words.lengths)])
    out, is_right = {}, {}
    for (method, order, width), run in methods.items():
        labels = run(seen, words.lengths)
        by_char, by_word = accuracies(labels, words.labels, starts)
        row = {"method": method, "order": order, "width": width}
        out[method, order, width] = row | {"char_accuracy": 100 * by_char, "word_accuracy": 100 * by_word}
        is_right[method, order, width] = np.logical_and.reduceat(labels == words.labels, starts[:-1]).astype(
            float
        )
    return out, is_right


def _time_methods(methods, seen, words, repeats):
    """CPU microseconds per word of every method in each of several rounds over the first words."""
    lengths = words.lengths[:N_TIMED]
    parts = batches_of(seen.values, lengths)
    calls = {key: lambda run=run: [run(*part) for part in parts] for key, run in methods.items()}
    return {key: np.divide(us, len(lengths)).tolist() for key, us in turns_us(calls, repeats).items()}


ORDER, WIDTH = 5, 8
KINDS = (("counted", False), ("counted", True), ("kneser_ney", False), ("kneser_ney", True))
"""(smoothing, whether there are begin marks)"""
WEIGHTS = (0.5, 0.6, 0.7, 0.8, 0.9, 1.0, 1.1, 1.2)
DISCOUNTS = (0.75, 0.9)


def measure_priors(
    model: OpenModel, seen: DenseRows, words: letters.Words, quick: bool = False
) -> list[dict]:
    """Accuracy of a beam with each kind of prior, discount and weight; ``is_used``: by the model."""
    frequencies, out = image_frequencies(), []
    for (name, marks), discount in product(KINDS, DISCOUNTS):
        config = replace(model.settings.config, has_begin=marks)
        kind = replace(model.settings, prior=name, config=config, discount=discount)
        counted = prior_counts(kind, ORDER)
        for weight in WEIGHTS[::3] if quick else WEIGHTS:
            settings = replace(kind, text_share=weight)
            by_char, by_word = _read_priors(prior(counted, ORDER, settings, frequencies), seen, words)
            row = {"prior": name, "marks": marks, "discount": discount, "text_share": weight}
            row |= {"order": ORDER, "width": WIDTH, "is_used": settings == model.settings}
            row |= {"char_accuracy": 100 * by_char, "word_accuracy": 100 * by_word}
            out.append(row | {"chosen_on": "development words"})
    return out


def _read_priors(model, seen, words):
    unary = unary_scores(seen, model.weights)
    labels = beam_decode(model.table, unary, words.lengths, ORDER, WIDTH)[1]
    return accuracies(labels, words.labels, np.concatenate([[0], np.cumsum(words.lengths)]))
