"""Compare `EnvelopeTagger` with the best fixed tier of the same cost, on development sequences.

A draw is 300 sequences for training and 300 others for evaluation, all from a corpus's training part and none
of them used in `tests/spending/test_envelope.py`. Each fixed tier is read by its own model of the features up
to it, alone: not mixed with cheaper ones (`spcviz.spending.mixing`).
"""

import zipfile
import zlib
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np

from spcviz.engine import checks
from spcviz.engine.chains.chain import decode_batch
from spcviz.engine.errors import ArgumentError, SpcvizError
from spcviz.learning.budgets.chains.tiered import tier_scores
from spcviz.problems.letters import handwriting
from spcviz.problems.tagging.data.corpora import read_ewt
from spcviz.shared.folders import data_folder
from spcviz.shared.report import describe
from spcviz.spending import EnvelopeTagger, FeatureTiers
from spcviz.spending.envelope import rates_of, spread_of
from spcviz.spending.label_folds import TierTraining, drawn_folds, numbers_of
from spcviz.spending.read import TierReader
from spcviz.spending.tiers import check_tiers

N = 300
"""Sequences for training, and as many for evaluation."""

PASSES, CV = 4, 2

Sequences = tuple[list, list]
"""Features (L, F) and labels of each."""


def _indicators(columns: Sequence[Sequence[str]], widths: Sequence[int]) -> np.ndarray:
    """Hashed indicators of the texts of each column, side by side."""
    out, first = np.zeros((len(columns[0]), sum(widths)), np.float32), 0
    for texts, width in zip(columns, widths):
        for i, text in enumerate(texts):
            out[i, first + zlib.crc32(f"{first}{text}".encode()) % width] = 1
        first += width
    return out


def read_tags(folder: Path, split: str, chosen: slice) -> Sequences:
    """EWT's parts of speech: ends of words, words, neighbours."""
    rows, sentences = [], read_ewt(folder, split, "upos")[chosen]
    for sentence in sentences:
        words = ["#", *(token[0].lower() for token in sentence), "#"]
        own = words[1:-1]
        rows.append(_indicators([[w[-2:] for w in own], own, words[:-2], words[2:]], (64, 256, 128, 128)))
    return rows, [[token[1] for token in sentence] for sentence in sentences]


def read_chunks(folder: Path, split: str, chosen: slice) -> Sequences:
    """CoNLL-2000's chunks: ends of words, words, tags, tags around."""
    with zipfile.ZipFile(folder / "text_ptb_sample" / "conll2000.zip") as archive:
        text = archive.read(f"conll2000/{split}.txt").decode()
    rows, labels = [], []
    for part in text.strip().split("\n\n")[chosen]:
        words, pos, chunk = zip(*(line.split() for line in part.splitlines()))
        own, around = [word.lower() for word in words], ["#", *pos, "#"]
        texts = [[w[-2:] for w in own], own, pos, around[:-2], around[2:]]
        rows.append(_indicators(texts, (64, 256, 64, 64, 64)))
        labels.append(list(chunk))
    return rows, labels


def read_letters(folder: Path, split: str, chosen: slice) -> Sequences:
    """Handwriting: pixels are free, gradients cost. Words are split modulo 14, so that few are the same.

    Two of each 14 are those of the test, as "train" and "test"; "pool" is all the others.
    """
    words = handwriting.load_words()
    turn = np.arange(6877) % 14
    is_there = {"train": turn == 0, "test": turn == 1, "pool": turn > 1}[split]
    rows, lengths = handwriting.rows_of(words, np.flatnonzero(is_there)[chosen])
    pixels, stops = words.pixels[rows], np.cumsum(lengths)[:-1]
    table = np.concatenate([handwriting.raw_features(pixels), handwriting.hog_features(pixels, 3)], axis=1)
    return np.split(table, stops), [word.tolist() for word in np.split(words.labels[rows], stops)]


class Task(NamedTuple):
    """A corpus, its tiers, and which of its sequences are for draws."""

    read: Callable[[Path, str, slice], Sequences]
    tiers: FeatureTiers
    pool: tuple[str, slice] = ("train", slice(N, 4000))


TASKS = {
    "tags": Task(
        read_tags, FeatureTiers(("ends", "words", "around"), np.split(np.arange(576), [64, 320]), (0, 1, 4))
    ),
    "chunks": Task(
        read_chunks,
        FeatureTiers(
            ("ends", "words", "tags", "around"), np.split(np.arange(512), [64, 320, 384]), (0, 1, 2, 4)
        ),
    ),
    "letters": Task(
        read_letters,
        FeatureTiers(("pixels", "gradients"), np.split(np.arange(273), [129]), (0, 1)),
        ("pool", slice(None)),
    ),
}


class Draw(NamedTuple):
    """Percent of labels wrong, and the rate at which the envelope is worst: above the best fixed tier by most
    standard errors."""

    fixed: list[float]  # of each tier
    envelope: list[float]  # at each of `rates_of`
    rate: float
    more: float  # points there; 0 or less: it is nowhere above
    standard_error: float  # of `more`, from sequence to sequence


def draw(task: Task, folder: Path, seed: int) -> Draw:
    """Train on a draw, and evaluate."""
    X, y = task.read(folder, *task.pool)
    chosen = np.random.default_rng(seed).permutation(len(X))[: 2 * N]
    X, y = ([given[i] for i in chosen] for given in (X, y))
    tagger = EnvelopeTagger(task.tiers, max_iter=PASSES, cv=CV, random_state=seed).fit(X[:N], y[:N])
    by_tier = _by_fixed_tiers(task, (X[:N], y[:N]), (X[N:], y[N:]), tagger.sequences_.random_state)
    X, y = X[N:], y[N:]
    costs, lengths = np.array(task.tiers.costs[1:], float), np.array(list(map(len, y)))
    until, n, rates = np.concatenate([[0.0], np.cumsum(costs)]), int(lengths.sum()), rates_of(costs)
    own, worst = [], (-np.inf, 0.0, 0.0, 0.0)
    for rate in rates.tolist():
        answers = tagger.predict(X, rate=rate * (1 + 1e-12))
        wrong = np.array([sum(a != b for a, b in zip(*both)) for both in zip(answers, y)])
        best = min((by_tier[t] for t in np.flatnonzero(until <= rate)), key=np.sum)
        more, error = float((wrong - best).sum() / n), float(np.sqrt(spread_of(wrong - best, lengths)))
        worst = max(worst, (more / error if error else 0.0, rate, 100 * more, 100 * error))
        own.append(100 * wrong.sum() / n)
    return Draw([100 * wrong.sum() / n for wrong in by_tier], own, *worst[1:])


def _by_fixed_tiers(task: Task, known: Sequences, new: Sequences, seed: int) -> list[np.ndarray]:
    """Wrong labels of each new sequence, by a model of each tier and those before it.

    `seed` is a `ModelSelector`'s: these are its models before they are mixed.
    """
    reader, features, data, classes = TierReader.fit_tiers(check_tiers(task.tiers), *known)
    how = TierTraining(reader.edges, len(classes), PASSES, is_one=False)
    table, lengths = reader.features(new[0]), reader.lengths(new[0])
    truth = numbers_of([label for row in new[1] for label in row], classes)
    rng, out = np.random.default_rng(seed), []
    drawn_folds(len(data.lengths), CV, rng)
    for model in how.train(features, data, rng):
        scores = tier_scores(model, table[:, : model.edges[0]])[:, 0]
        labels = decode_batch(np.ascontiguousarray(scores), lengths, model.pairwise).labels
        out.append(np.add.reduceat(labels != truth, np.cumsum(lengths) - lengths, dtype=np.int64))
    return out


def bench_envelope(
    *, task: str | None = None, draws: int = 5, tick: Callable[[str], object] = lambda text: None
) -> dict:
    """Train and evaluate `draws` times on each task, or on some named with commas; one row per draw."""
    draws, names = checks.integer("draws", draws, 1, 1000), list(TASKS) if task is None else task.split(",")
    for name in names:
        if name not in TASKS:
            raise ArgumentError(f"task must be some of {', '.join(TASKS)}, got {name!r}")
    if (folder := data_folder()) is None:
        raise SpcvizError("bench envelope needs SPCVIZ_DATA: see python -m spcviz data")
    rows = []
    for name in names:
        for seed in range(draws):
            tick(f"{name} {seed}")
            rows.append({"task": name, "draw": seed} | draw(TASKS[name], folder, seed)._asdict())
    about = {"tasks": names, "draws": draws, "sequences": N}
    title = "the envelope beside the best fixed tier, draw by draw"
    return describe("bench-envelope", title, rows, baselines=[], settings=about, data={})


def as_text(result: dict) -> str:
    """One line per draw, for a terminal."""
    lines = [f"percent of labels wrong; {result['settings']['sequences']} sequences to learn from"]
    for row in result["rows"]:
        fixed, own = (" ".join(f"{each:.2f}" for each in row[of]) for of in ("fixed", "envelope"))
        lines.append(
            f"{row['task']} {row['draw']}: tiers {fixed}; envelope {own}; at most {row['more']:+.2f} points "
            f"(standard error {row['standard_error']:.2f}) above the best tier, at rate {row['rate']:g}"
        )
    return "\n".join(lines)
