"""Choose the sentences that ship, from the treebank's development part (``data prepare``).

Of the sentences of 8 to 30 words without an e-mail or web address (which may name people), 300 are drawn with
seed 30 and kept in order, each with its number in the part, by which addresses name it.
"""

import hashlib
import re
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from spcviz.problems.parsing.data import gallery
from spcviz.problems.tagging.data.corpora import COLUMNS, read_columns
from spcviz.shared.bring import original
from spcviz.shared.bring.original import OriginalError

N_SENTENCES, RANDOM_STATE = 300, 30
ADDRESS = "ADD"
"""Tag of an e-mail or web address."""
PART = "en_ewt-ud-dev.conllu"
OTHER = "; other bytes than those that ship with the project"


def prepare(folder: Path, place: Path) -> Iterator[str]:
    """Choose the sentences from a clone or release of UD_English-EWT (`DataSet.prepare`)."""
    path = original.root_of(folder, PART) / PART
    blocks = re.split(r"\n\n+", path.read_bytes().decode("utf-8").strip("\n"))
    numbers = choose_sentences(blocks, path)
    written = "".join(f"{gallery.NUMBER}{number}\n{blocks[number]}\n\n" for number in numbers).encode()
    (place / gallery.SHIPPED.name).write_bytes(written)
    is_same = hashlib.sha256(written).hexdigest() == gallery.SHIPPED_SHA256
    yield f"{gallery.SHIPPED.name}: {len(numbers)} of {len(blocks)} sentences{'' if is_same else OTHER}"


def choose_sentences(blocks, path):
    """Numbers of the chosen sentences, in order: ndarray of int64."""
    columns = [COLUMNS["ewt"][name] for name in ("word", "tag")]
    read = [read_columns(block, *columns) for block in blocks]
    fits = [number for number, sentence in enumerate(read) if sentence and _fits(sentence[0])]
    if len(fits) < N_SENTENCES:
        raise OriginalError(
            f"{path} must have {N_SENTENCES} sentences of {gallery.SHORTEST} to {gallery.LONGEST} words, got "
            f"{len(fits)}"
        )
    return np.sort(np.random.default_rng(RANDOM_STATE).choice(fits, N_SENTENCES, replace=False))


def _fits(words):
    """Whether a sentence of (word, tag) may be chosen."""
    return gallery.SHORTEST <= len(words) <= gallery.LONGEST and all(tag != ADDRESS for _, tag in words)
