"""Benchmark of tagging as a server does it: one sentence per call, with its features computed anew each time.

There are three extractors, as they are written for CRFsuite: dicts of texts and flags, lists of texts, dicts
of flags only. Texts are new objects in every round, so that no contender finds them hashed. Both tag with a
perceptron's weights of five passes over the same sentences; loading kernels is counted on neither side.
"""

import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks import peers
from spcviz.sequences import StructuredPerceptron

N_ALONE = 500
"""Sentences that are tagged one per call in a round."""


def as_pairs(names: list[str]) -> dict[str, Any]:
    """Texts as a dict: the part before = is a key.

    >>> as_pairs(["w=The", "Upper"])
    {'w': 'The', 'Upper': True}
    """
    pairs: dict[str, Any] = {}
    for name in names:
        key, is_pair, value = name.partition("=")
        pairs[key] = value if is_pair else True
    return pairs


def as_texts(names: list[str]) -> list[str]:
    """Texts as new objects.

    >>> as_texts(["w=The"])
    ['w=The']
    """
    return [(name + " ")[:-1] for name in names]


def as_flags(names: list[str]) -> dict[str, bool]:
    """Texts as a dict of flags.

    >>> as_flags(["w=The"])
    {'w=The': True}
    """
    return dict.fromkeys(as_texts(names), True)


EXTRACTORS: dict[str, Callable] = {
    "dicts of texts": as_pairs,
    "lists of texts": as_texts,
    "dicts of flags": as_flags,
}


def serving(train: tuple[list, list], sentences: list, repeats: int) -> list[dict[str, Any]]:
    """Tokens per CPU second in one call, and microseconds of a call per sentence: medians over rounds.

    Contenders alternate. `train`: sentences of string features, and their tags; `sentences`: those to be
    tagged.
    """
    n_tokens, alone = sum(map(len, sentences)), sentences[:N_ALONE]
    rows = []
    for what, extract in EXTRACTORS.items():
        X = [[extract(token) for token in sentence] for sentence in train[0]]
        contenders = {"spcviz": _of_ours(X, train[1])}
        if peers.import_if_there("pycrfsuite"):
            contenders["python-crfsuite"] = _of_crfsuite(X, train[1])
        seconds: dict[str, list[tuple[float, float]]] = {name: [] for name in contenders}
        for _ in range(1 + repeats):
            for name, (tag, tag_one) in contenders.items():
                many, few = ([[extract(token) for token in s] for s in some] for some in (sentences, alone))
                start = time.process_time()
                tag(many)
                middle = time.process_time()
                for sentence in few:
                    tag_one(sentence)
                seconds[name].append((middle - start, time.process_time() - middle))
        for name, each in seconds.items():
            in_one_call, one_by_one = np.median(each[1:], axis=0).tolist()
            rate, alone_us = n_tokens / max(in_one_call, 1e-9), 1e6 * one_by_one / len(alone)
            rows.append({"input": what, "contender": name, "tokens_per_s": rate, "sentence_us": alone_us})
    return rows


def _of_ours(X: list, y: list) -> tuple[Callable, Callable]:
    tagger = StructuredPerceptron(max_iter=5, random_state=0).fit(X, y)
    tagger.predict(X[:1])
    return tagger.predict, tagger.predict_single


def _of_crfsuite(X: list, y: list) -> tuple[Callable, Callable]:
    library = peers.import_if_there("pycrfsuite")
    trainer, tagger = library.Trainer(verbose=False, algorithm="ap"), library.Tagger()
    trainer.set_params({"max_iterations": 5})
    for item, labels in zip(X, y):
        trainer.append(item, labels)
    with tempfile.TemporaryDirectory(prefix="spcviz-") as folder:
        path = str(Path(folder) / "model")
        trainer.train(path)
        tagger.open(path)
    return (lambda many: [tagger.tag(item) for item in many]), tagger.tag


def as_lines(rows: list[dict[str, Any]]) -> list[str]:
    """One line per row, for a terminal."""
    return [
        f"{row['input']}: {row['contender']} {row['tokens_per_s']:.0f} tokens/s, a sentence a call "
        f"{row['sentence_us']:.0f} us"
        for row in rows
    ]
