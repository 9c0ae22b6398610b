"""Run one sentence through the tagging cascade, level by level, for the Tagging page.

From order 2 on a level filters (n-1)-grams, the lattice's nodes: tags, then pairs of tags.
"""

import contextlib
from collections.abc import Sequence

import numpy as np

from spcviz.engine.ngrams.lattice import score_arcs
from spcviz.engine.ngrams.prune import keep_states
from spcviz.learning.cascade.cascade import filter_examples, predict
from spcviz.learning.cascade.features import unary_scores
from spcviz.learning.cascade.retuning import retune
from spcviz.problems.tagging.data.corpora import drawable_words
from spcviz.problems.tagging.model.stored import StoredTagger, load_tagger
from spcviz.problems.tagging.shown import TAG_NAMES, TagComparison
from spcviz.shared.trace import WordTrace, alphas_used, at_margins, trace_fields
from spcviz.store import StoreError

MAX_WORDS = 40
"""Longest sentence that is drawn."""

LEVEL_NAMES = ("tags alone", "tags in context", "pairs of tags")
_TURNS = 3


def warmup(models):
    """Compile what the Tagging page calls, with the stored tagger, if there is one."""
    with contextlib.suppress(StoreError):
        compare_text(load_tagger(models), ["The", "old", "man", "the", "boats", "."])


def read_sentence(text: str) -> list[str]:
    """Typed text as 1 to 40 words; an `ArgumentError` is one readable sentence.

    >>> read_sentence("The old man the boats.")
    ['The', 'old', 'man', 'the', 'boats', '.']
    """
    return drawable_words(text, "tag", MAX_WORDS)


def margins_of(tagger: StoredTagger, sentences: Sequence[Sequence[tuple[str, str]]]) -> tuple[float, ...]:
    """A margin for each level, tuned on tagged sentences: (word, tag) pairs.

    Each loses the share of sentences that the model's own threshold may lose at its level. Sentences with a
    tag that the model does not know are left out.
    """
    number = {tag: k for k, tag in enumerate(tagger.tag_set)}
    known = [pairs for pairs in sentences if pairs and all(tag in number for _, tag in pairs)]
    words = [word for pairs in known for word, _ in pairs]
    lengths = np.array([len(pairs) for pairs in known], dtype=np.int64)
    model, table = tagger.of_words(words, lengths)
    labels = np.array([number[tag] for pairs in known for _, tag in pairs])
    cascade, tolerances = model.cascade, model.settings.config.tolerances[: len(model.cascade.levels)]
    tuned = retune(cascade, "margin", table, labels, lengths, tolerances)
    return tuple(-float(level.alpha) for level in tuned.levels)


def trace_text(
    tagger: StoredTagger,
    words: Sequence[str],
    *,
    alphas: Sequence[float] | None = (),
    margins: Sequence[float] | None = None,
) -> WordTrace:
    """Run the cascade on 1 to 40 words and keep everything a picture needs; an alpha of None is tuned.

    With `margins`, one per level, the tuned alphas are this sentence's equivalents of them.
    """
    model, table = tagger.of_words(words)
    cascade = model.cascade
    if margins is not None:
        asked = [*(alphas or ()), *[None] * len(cascade.levels)][: len(cascade.levels)]
        cascade = at_margins(cascade, table, len(words), asked, margins)
    used = alphas_used(cascade, alphas, len(cascade.levels))
    return WordTrace(
        word_id=-1,
        truth=np.zeros(0, dtype=np.int32),
        pixels=np.zeros((0, 16, 8), dtype=np.uint8),
        alphabet=model.tag_set,
        microseconds_dense=np.nan,
        words=tuple(words),
        meanings=tuple(TAG_NAMES.get(tag, tag) for tag in model.tag_set),
        level_names=LEVEL_NAMES,
        **trace_fields(cascade, table, len(words), used, turns=_TURNS),
    )


def compare_text(tagger, words, *, alphas=()) -> TagComparison:
    """What max-marginals (SPC) and marginals (CRF) keep at level 2 of what level 1 leaves."""
    model, table = tagger.of_words(words)
    cascade = model.cascade
    used = alphas_used(cascade, alphas, len(cascade.levels))
    steps = list(filter_examples(cascade, table, [len(words)], alphas=used))
    lattice = steps[1].lattice
    first = unary_scores(table, cascade.levels[0].filter.weights)
    left = np.zeros(first.shape, dtype=bool)
    left[np.nonzero(steps[0].pruned.keep.reshape(len(words), -1))] = True
    kept = {}
    for name, filter_model, alpha, rule in (
        ("spc", cascade.levels[1].filter, used[1], cascade.pruned_by),
        ("crf", model.crf, model.crf_alpha, "probability"),
    ):
        unary = unary_scores(table, filter_model.weights)
        scores = score_arcs(lattice, unary, filter_model.table)
        mask = keep_states(lattice, scores, alpha, left, rule=rule)
        kept[name] = tuple(
            tuple(model.tag_set[k] for k in np.argsort(-unary[i], kind="stable") if mask[i, k])
            for i in range(len(words))
        )
    answer = predict(cascade.levels[-1], steps[-1].lattice, table).labels
    return TagComparison(
        words=tuple(words),
        spc=kept["spc"],
        crf=kept["crf"],
        alone=tuple(model.tag_set[k] for k in first.argmax(axis=1)),
        tagged=tuple(model.tag_set[k] for k in answer),
        meanings={tag: TAG_NAMES.get(tag, tag) for tag in model.tag_set},
        spc_alpha=float(used[1]),
        crf_alpha=float(model.crf_alpha),
    )
