"""Numbers of the pages Home, Letters, Write and Sweep: behind `spcviz.scenes`.

Modules that compute are imported when a function is called. At the end are the lines of Python that the Save
menu offers.
"""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from spcviz.engine import checks
from spcviz.engine.errors import ArgumentError
from spcviz.shared.folders import MODELS, NEEDS, shipped_path

if TYPE_CHECKING:
    from spcviz.problems.letters.shown import SweepChoice

OPEN = {"open": "fourier", "open_raw": "raw"}
"""Features of the open vocabulary: name in the pages' addresses -> name in the stored models."""
RULES = ("mean_max", "margin")
_LETTERS = np.array(list("abcdefghijklmnopqrstuvwxyz"))


class HomeReading(NamedTuple):
    """The word of the home page."""

    alone: str  # read letter by letter
    steps: tuple["HomeStep", ...]  # what the sharper model reads, as alpha rises


class HomeStep(NamedTuple):
    """The reading of a word from one alpha on."""

    alpha: float
    n_left: tuple[int, ...]  # letters that pruning leaves, at each position
    reading: str


class LetterLevel(NamedTuple):
    """One level of a cascade on one word."""

    order: int  # n of its n-grams
    alpha: float  # at which it was pruned
    n_candidates: int  # n-grams before pruning
    n_kept: int  # and after it
    reading: str  # the best word of those that were left before this level


def home() -> HomeReading:
    """Read the word of the home page letter by letter, and by a sharper model of what pruning left.

    Returns
    -------
    HomeReading
        ``alone``, and a step (``alpha``, ``n_left``, ``reading``) for each reading of the sharper model.

    Raises
    ------
    NoCacheError
        If a clone's handwritten words are missing.

    Examples
    --------
    >>> from spcviz import scenes
    >>> word = scenes.home()
    >>> len(word.alone) == len(word.steps[0].reading)
    True
    """
    from spcviz.problems.letters.page import landing

    shipped_path(landing.LETTERS)
    word = landing.word()
    steps = [
        HomeStep(float(alpha), tuple((word.falls_at > alpha).sum(axis=1).tolist()), _spell_labels(labels))
        for alpha, labels in word.sharper
    ]
    return HomeReading(_spell_labels(word.alone), tuple(steps))


def letters(
    word: int,
    *,
    features: str = "open",
    order: int = 3,
    alphas: Sequence[float | None] = (),
    rule: str = "mean_max",
) -> tuple[LetterLevel, ...]:
    """Run a stored cascade on one handwritten word, level by level.

    Parameters
    ----------
    word : int
        Number of the word, as in the page's address: for the open vocabulary, among the test words followed
        by the development words; else among all handwritten words.
    features : str
        "open" or "open_raw" (the open vocabulary), or the features of a cascade on the data's 55 words, such
        as "hog".
    order : int
        Number of levels, 1 to 6.
    alphas : sequence of float or None
        Alphas at which levels prune; tuned where None or missing.
    rule : str
        What "tuned" means: "mean_max", the page's own, or "margin".

    Returns
    -------
    tuple of LetterLevel
        One for each level: ``order``, ``alpha``, ``n_candidates``, ``n_kept``, ``reading``.

    Raises
    ------
    ArgumentError
        For an unknown word or rule, or an invalid order or alpha.
    NoCacheError, StoreError
        If a clone's stored models are missing, or this one is.

    Examples
    --------
    >>> from spcviz import scenes
    >>> first, second = scenes.letters(0, features="hog", order=2)
    >>> first.n_candidates, first.n_kept > len(first.reading), second.n_kept < 26 * 26
    (234, True, True)
    """
    from spcviz.problems.letters.handwriting import load_words
    from spcviz.problems.open_words.data.word_images import load_set

    model = _model(features)
    sets = [load_set(name).words for name in ("unseen", "dev")] if features in OPEN else [load_words()]
    at = checks.integer("word", word, 0, sum(len(words.lengths) for words in sets) - 1)
    words = sets[0]
    if at >= len(words.lengths):  # development words follow the test words
        at, words = at - len(words.lengths), sets[1]
    return _levels(
        model, words.pixels[words.starts[at] : words.starts[at + 1]], features, order, alphas, rule
    )


def write(
    ink: str,
    *,
    features: str = "open",
    order: int = 3,
    alphas: Sequence[float | None] = (),
) -> tuple[LetterLevel, ...]:
    """Run a stored cascade on strokes, as on the Write page.

    Parameters
    ----------
    ink : str
        The strokes as text, as in the page's address after ``ink=``.
    features, alphas
        As in `letters`.
    order : int
        Number of levels, 1 to 6; at most as many as there are letters.

    Returns
    -------
    tuple of LetterLevel

    Raises
    ------
    ArgumentError
        For a text without a letter that can be read, and as in `letters`.
    NoCacheError, StoreError
        If a clone's stored models are missing, or this one is.
    """
    from spcviz.problems.open_words.data import drawings

    found = drawings.read_drawing(ink)
    if not len(found.pixels):
        raise ArgumentError(f"ink holds no letter that can be read: {' '.join(found.problems) or ink[:40]!r}")
    order = min(checks.integer("order", order, 1, 100), len(found.pixels))  # two letters have no triples
    return _levels(_model(features), found.pixels, features, order, list(alphas)[:order], "mean_max")


def sweep(
    *,
    features: str = "open",
    level: int = 1,
    tolerance: float = 0.01,
    by_definition: bool = False,
    alpha: float | None = None,
    guarantee: str | float | None = None,
) -> "SweepChoice":
    """Choose one level's threshold on development words, with its losses there and on test words.

    Parameters
    ----------
    features : str
        As in `letters`.
    level : int
        Number of the level, from 1.
    tolerance : float
        Share of development words that may be lost, 0 to 1.
    by_definition : bool
        Whether "lost" means that the truth's score is under the threshold (Definition 1 of the thesis);
        otherwise, that the truth is really pruned.
    alpha : float, optional
        Use this alpha instead.
    guarantee : {None, "mean"} or float
        Promise for other words: none, the tolerance in expectation, or the tolerance with this certainty.

    Returns
    -------
    SweepChoice
        ``alpha``, ``tolerance``, and losses of development and test words, ``dev`` and ``test``.

    Raises
    ------
    ArgumentError, InfeasibleError
        For an invalid argument; for a promise for which there are too few words.
    NoCacheError, StoreError
        If a clone's stored models are missing, or this one is.
    """
    from spcviz.engine.thresholds import guarantees
    from spcviz.problems.letters.model import sweep as sweeping
    from spcviz.problems.open_words.data.word_images import load_set

    model = _model(features)
    level = checks.integer("level", level, 1, len(model.cascade.levels))
    tolerance, guarantee = checks.fraction("tolerance", tolerance), guarantees.check_guarantee(guarantee)
    alpha = None if alpha is None else checks.alpha("alpha", alpha)
    words = load_set("unseen").words if features in OPEN else None
    reached = model.cascade._replace(levels=model.cascade.levels[:level])  # later ones change nothing here
    one = sweeping.sweep_levels(model._replace(cascade=reached), words=words)[-1]
    how = {"by_definition": bool(by_definition), "alpha": alpha, "guarantee": guarantee}
    return sweeping.choose(one, tolerance, **how)


def _model(features):
    from spcviz.problems.letters.model.cascade import FEATURE_NAMES
    from spcviz.problems.letters.model.stored import load_ocr
    from spcviz.problems.open_words.model.stored import load_open

    if features in OPEN:
        return load_open(shipped_path(MODELS), OPEN[features])
    if features in FEATURE_NAMES:
        return load_ocr(shipped_path(MODELS), features)
    known = ", ".join([*OPEN, *FEATURE_NAMES])
    raise ArgumentError(f"features must be one of {known}, got {features!r:.60}")


def _levels(model, pixels, features, order, alphas, rule):
    """The levels of a cascade on letter images."""
    from spcviz.learning.cascade.decoding import filter_examples, predict
    from spcviz.problems.letters.page import live
    from spcviz.shared.trace import alphas_used, at_margins

    cascade, lengths = model.cascade, [len(pixels)]
    order = checks.integer("order", order, 1, len(cascade.levels))
    asked = [None if a is None else checks.alpha("alphas", a) for a in checks.as_tuple("alphas", alphas)]
    if len(asked) > order:
        raise ArgumentError(f"alphas must hold at most one for each of {order} levels, got {len(asked)}")
    if rule not in RULES:
        raise ArgumentError(f"rule must be one of {', '.join(RULES)}, got {rule!r:.60}")
    seen = model.features(pixels, lengths)
    if rule == "margin" and features in OPEN:
        asked = [*asked, *[None] * (order - len(asked))]
        cascade = at_margins(cascade, seen, len(pixels), asked, live.margins_of(model))
    used = alphas_used(cascade, asked, order)
    levels = []
    for level, alpha, step in zip(cascade.levels, used, filter_examples(cascade, seen, lengths, order, used)):
        keep = step.pruned.keep
        read = _spell_labels(predict(level, step.lattice, seen).labels)
        levels.append(LetterLevel(int(step.lattice.order[0]), float(alpha), keep.size, int(keep.sum()), read))
    return tuple(levels)


def _spell_labels(labels):
    return "".join(_LETTERS[np.asarray(labels, dtype=np.int64)])


_LEVELS = """# {what}, and what a cascade keeps at each level.
{needs}
from spcviz import scenes

for level in scenes.{call}:
    kept = f"{{level.n_kept}} of {{level.n_candidates}} kept"
    print(f"order {{level.order}}: {{kept}}, reads {{level.reading}}")
"""
_SWEEP = """# Sweep: one threshold of one level, what it loses and what it keeps.
{needs}
from spcviz import scenes

choice = scenes.sweep({arguments})
for name, at in (("development", choice.dev), ("test", choice.test)):
    print(f"alpha {{choice.alpha:.3f}}, {{name}} words:", at)
"""


def letters_lines(state: Mapping) -> str:
    """The lines for a state of the page Letters."""
    alphas = [state[f"a{n}"] for n in range(1, state["order"] + 1)]
    call = f"letters({int(state['word'])}, features={state['features']!r}, order={state['order']}"
    call += f", alphas={alphas}"
    call += ")" if state["rule"] == "mean_max" else f", rule={state['rule']!r})"
    return _LEVELS.format(what="Letters: one handwritten word", needs=NEEDS, call=call)


def write_lines(state: Mapping, ink: str, alphas: Sequence[float | None]) -> str:
    """The lines for a state of the page Write and the strokes that it shows."""
    call = f"write({ink!r}, features={state['features']!r}, order={state['order']}, alphas={list(alphas)})"
    return _LEVELS.format(what="Write: strokes as a word", needs=NEEDS, call=call)


def sweep_lines(state: Mapping) -> str:
    """The lines for a state of the page Sweep; "" where several filters are compared."""
    from spcviz.problems.letters.page.sweep_text import GUARANTEES

    if state["show"] == "filters":
        return ""
    of = {
        "features": state["features"],
        "level": int(state["level"]),
        "tolerance": state["tol"] / 100,
        "by_definition": state["by"] == "definition",
        "alpha": state["alpha"],
        "guarantee": GUARANTEES[state["promise"]],
    }
    said = ", ".join(f"{name}={value!r}" for name, value in of.items())
    return _SWEEP.format(needs=NEEDS, arguments=said)
