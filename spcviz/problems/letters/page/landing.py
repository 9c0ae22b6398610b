"""The word that Home opens with, computed once per process."""

import math
from functools import cache

import numpy as np

from spcviz.problems.letters.page.home_word import home_word
from spcviz.shared.folders import CACHE, NEEDS

LETTERS = CACHE / "data" / "ocr_letters.npz"
WORDS = CACHE / "data" / "open_words.npz"
FIRST_TRAINING_FOLD = 2
STOP = 0.6
"""The alpha at which the page's story lets the sharper model read."""
AT_MOST = 1000
"""The most words that may be left by then."""
WORD = 362
"""A development word of seven or eight letters that meets four conditions. It is misread letter by letter;
pairs of letters misread it in the same way; the truth and at most `AT_MOST` words are left at `STOP`; the
sharper model then reads it right. Of all such words it is the most frequent in the treebank. A test repeats
the choice.
"""

PYTHON = f"""# Home: one word, read letter by letter, and by a sharper model of what pruning left.
{NEEDS}
from spcviz import scenes

word = scenes.home()
print("letter by letter:", word.alone)
for step in word.steps:
    print(f"from alpha {{step.alpha:.3f}} on, with {{list(step.n_left)}} letters left:", step.reading)
"""


@cache
def word(number: int = WORD):
    """A development word, by default the home page's own, as a `HomeWord`; 0.2 s the first time."""
    images, is_training, words = _data()
    lengths = np.char.str_len(words["types"][words["dev_words"]])
    end = int(lengths[: number + 1].sum())
    spelled = words["types"][words["train_words"]]
    return home_word(
        images["pixels"],
        images["labels"],
        is_training,
        words["dev_rows"][end - lengths[number] : end],
        np.frombuffer(b"".join(spelled), dtype=np.uint8).astype(np.int64) - ord("a"),
        np.char.str_len(spelled),
    )


def _data():
    """(letter images, which of them are for training, words)."""
    with np.load(LETTERS, allow_pickle=False) as letters, np.load(WORDS, allow_pickle=False) as words:
        images = {name: letters[name] for name in letters.files}
        words = {name: words[name] for name in ("types", "train_words", "dev_words", "dev_rows", "counts")}
    return images, np.repeat(images["folds"] >= FIRST_TRAINING_FOLD, images["lengths"]), words


def values(shown, alpha) -> dict:
    """A `HomeWord` at an alpha (None: the story's), for the checks of tasks."""
    true = np.take_along_axis(shown.falls_at, np.argsort(shown.order, axis=1), axis=1)
    true = true[np.arange(len(shown.truth)), shown.truth]
    at = STOP if alpha is None else alpha
    left = (shown.falls_at > at).sum(axis=1)
    left[left == 0] = 1  # the best word is never pruned
    falls = {f"falls_{i}": float(value) for i, value in enumerate(true, start=1)}
    alive = bool(((true > at) | (true == 1)).all())
    return falls | {"falls": true.tolist(), "alive": alive, "left": math.prod(left.tolist())}
