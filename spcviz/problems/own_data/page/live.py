"""One sentence of a visitor's through a model, level by level, and the thresholds of a sweep."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from spcviz.learning.cascade.config import Cascade
from spcviz.learning.cascade.features import Features
from spcviz.problems.common.shown import WordTrace
from spcviz.problems.common.trace import arc_level, timed_run
from spcviz.problems.own_data.model import cascades
from spcviz.problems.own_data.model.settings import METHODS, Settings
from spcviz.problems.own_data.model.training import train
from spcviz.problems.own_data.page.shown import LEVEL_NAMES

MAX_WORDS = 40
"""Of a sentence that is drawn; of a longer one, so many words from its beginning."""

_TURNS = 2
_TOY = [["the", "old", "man", "sleeps"], ["a", "dog", "barks"], ["the", "dog"], ["a", "man", "barks"]]
_TAGS = {"the": "D", "a": "D", "old": "A", "man": "N", "dog": "N", "sleeps": "V", "barks": "V"}


def warmup(models: Path) -> None:
    """Compile what training and the lattice call, on a few words."""
    tags = [[_TAGS[word] for word in words] for words in _TOY]
    for method in METHODS:
        trained = train(Settings(method=method, passes=2), 6 * _TOY, 6 * tags)
        reader = reader_in(trained.model)
        trace(reader.cascade, cascades.rows_of(reader, [_TOY[0]]), _TOY[0], reader.labels)


def reader_in(model: bytes, alphas: tuple[float, ...] = ()) -> cascades.Reader:
    """The reader in a model's zip file."""
    from spcviz.io.zipped import of_zip

    return cascades.reader_of(of_zip(model, "model"), alphas)


def trace(
    cascade: Cascade,
    features: Features,
    words: Sequence[str],
    labels: Sequence[str],
    *,
    truth: Sequence[int] = (),
    alphas: Sequence[float | None] = (),
) -> WordTrace:
    """Run a cascade on one sentence of 1 to `MAX_WORDS` words and keep everything a picture needs.

    `alphas` are by level; None or missing means tuned. `truth` are numbers of labels, none below 0, or empty.
    """
    n_levels = len(cascade.levels)
    given = list(alphas)[:n_levels] + [None] * (n_levels - len(alphas))
    used = [level.alpha if a is None else float(a) for level, a in zip(cascade.levels, given)]
    known = np.asarray(truth, dtype=np.int64) if len(truth) and min(truth) >= 0 else None
    runs = [timed_run(cascade, features, len(words), n_levels, used) for _ in range(_TURNS)]
    steps, read, _ = runs[-1]
    us = np.min([times for _, _, times in runs], axis=0)
    levels = [
        arc_level(level, step, known, features, alpha, time_us)
        for level, step, alpha, time_us in zip(cascade.levels, steps, used, us[:, 0])
    ]
    return WordTrace(
        word_id=-1,
        truth=np.zeros(0, dtype=np.int32) if known is None else known.astype(np.int32),
        pixels=np.zeros((0, 16, 8), dtype=np.uint8),
        alphabet=tuple(labels),
        levels=tuple(levels),
        predictions=np.array(read, dtype=np.int32),
        microseconds=float(us[:-1, 0].sum() + us[-1, 1]),
        microseconds_dense=np.nan,
        words=tuple(words),
        meanings=tuple(labels),
        level_names=LEVEL_NAMES[:n_levels],
    )
