"""The Python of the pages Letters, Write and Sweep: lines that compute what is shown."""

from collections.abc import Mapping, Sequence

OPEN = {"open": "fourier", "open_raw": "raw"}

_LETTERS = """# {what}, and what a cascade keeps at each level. Run this in a clone.
from spcviz.learning.cascade.decoding import filter_examples, predict
from spcviz.shared.folders import MODELS
{read}
alphas = [level.alpha if a is None else a for level, a in zip(model.cascade.levels, {alphas})]
features = model.features(pixels, [len(pixels)])
steps = filter_examples(model.cascade, features, [len(pixels)], {order}, alphas)
letters = "abcdefghijklmnopqrstuvwxyz"
rows = []
for level, step in zip(model.cascade.levels, steps):
    read = "".join(letters[k] for k in predict(level, step.lattice, features).labels)
    rows.append((step.lattice.order[0], int(step.pruned.keep.sum()), step.pruned.keep.size, read))
    print("order {{}}: {{}} of {{}} kept, reads {{}}".format(*rows[-1]))
"""
_OPEN = """from spcviz.problems.open_words.data.composed import load_set
from spcviz.problems.open_words.model import stored

model = stored.load_open(MODELS, {name!r})
words, at = load_set("unseen").words, {word}
if at >= len(words.lengths):  # development words follow the test words
    words, at = load_set("dev").words, at - len(words.lengths)
pixels = words.pixels[words.starts[at] : words.starts[at + 1]]"""
_FIXED = """from spcviz.problems.letters.data.handwriting import load_words
from spcviz.problems.letters.model import stored

model = stored.load_ocr(MODELS, {name!r})
words, at = load_words(), {word}
pixels = words.pixels[words.starts[at] : words.starts[at + 1]]"""
_WRITTEN = """from spcviz.problems.{folder}.model import stored
from spcviz.problems.open_words.data import written

model = stored.{load}(MODELS, {name!r})
pixels = written.written({ink!r}).pixels"""

_SWEEP = """# Sweep: every threshold of one level, what it loses and what it keeps. Run this in a clone.
from spcviz.shared.folders import MODELS
from spcviz.problems.letters.model import sweep
{read}
level = sweep.sweep_levels(model, words={words})[{level} - 1]
choice = sweep.choose(level, {tolerance}, by_definition={by_definition}, alpha={alpha})
for name, at in (("development", choice.dev), ("test", choice.test)):
    print(f"alpha {{choice.alpha:.3f}}, {{name}} words:", at)
"""
_SWEEP_OPEN = """from spcviz.problems.open_words.data.composed import load_set
from spcviz.problems.open_words.model import stored

model = stored.load_open(MODELS, {name!r})"""
_SWEEP_FIXED = """from spcviz.problems.letters.model import stored

model = stored.load_ocr(MODELS, {name!r})"""


def letters(state: Mapping) -> str:
    """The lines for a state of the page Letters."""
    name, word = OPEN.get(state["features"], state["features"]), state["word"]
    read = (_OPEN if state["features"] in OPEN else _FIXED).format(name=name, word=int(word))
    alphas = [state[f"a{n}"] for n in range(1, state["order"] + 1)]
    return _LETTERS.format(what="Letters: one handwritten word", read=read, alphas=alphas,
                           order=int(state["order"]))  # fmt: skip


def written(state: Mapping, ink: str, alphas: Sequence[float | None]) -> str:
    """The lines for a state of the page Write and the strokes that it shows."""
    name = OPEN.get(state["features"], state["features"])
    folder, load = ("open_words", "load_open") if state["features"] in OPEN else ("letters", "load_ocr")
    read = _WRITTEN.format(folder=folder, load=load, name=name, ink=ink)
    return _LETTERS.format(what="Write: strokes as a word", read=read, alphas=list(alphas),
                           order=f"min({state['order']}, len(pixels))")  # fmt: skip


def sweep(state: Mapping) -> str:
    """The lines for a state of the page Sweep; none where several filters are compared."""
    if state["show"] == "filters":
        return ""
    is_open, name = state["features"] in OPEN, OPEN.get(state["features"], state["features"])
    about = {"level": int(state["level"]), "tolerance": state["tol"] / 100, "alpha": state["alpha"]}
    about["words"] = 'load_set("unseen").words' if is_open else None
    read = (_SWEEP_OPEN if is_open else _SWEEP_FIXED).format(name=name)
    return _SWEEP.format(read=read, by_definition=state["by"] == "definition", **about)
