"""Detect and read a visitor's file: tagged text, scores, or a model; an error says what is wrong.

Nothing here writes to a disk or runs anything that a file contains. Sizes are checked before parsing.
"""

import codecs
import hashlib
import io
import re
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

from spcviz.engine.errors import ArgumentError, SpcvizError
from spcviz.io.conll import Corpus, read_conll
from spcviz.io.kinds import packed_kind, unread_bytes
from spcviz.io.records import looks_like_json
from spcviz.io.score_tables import is_score_table
from spcviz.io.scores import ScoreFile, read_scores
from spcviz.io.unpacking import opened_zip
from spcviz.io.zipped import MANIFEST
from spcviz.problems.own_data.model import foreign as models
from spcviz.problems.own_data.model.training import broken
from spcviz.scores.schemes import form_of, parts_of, scheme_of

MOST_BYTES = 20 << 20
MOST_TOKENS = 120_000
"""Most tokens of a text that are read; of a longer text, the sentences that begin before this limit."""

LONGEST_LINE, LONGEST_LABEL = 20_000, 100
MOST_UNPACKED = 64 << 20
MOST_SCORES, MOST_SEQUENCES = 1_000_000, 120_000
MOST_KINDS = 2_000
"""Most distinct labels of a text: menus, colours and confusion matrices are made of them."""

_HALF = (
    f"is half of a model; expected one .zip of the folder that spcviz.save wrote ({MANIFEST} and its .npz)"
)

UNKNOWN = "?"
"""Placeholder for a gold label that a file of scores does not give."""

_CONTROL = re.compile(rb"[\x01-\x08\x0e-\x1f]")

Columns = tuple[int, int | None]


class How(NamedTuple):
    """How a file is read where this is given, not detected.

    Arguments of `spcviz.io.read_conll`, and `subwords` of `spcviz.io.read_scores`.
    """

    separator: str = "auto"
    header: bool | None = None
    encoding: str = "auto"
    scheme: str = "auto"
    subwords: str = "first"

    def of_text(self) -> dict[str, Any]:
        """The arguments of `read_conll`."""
        return {key: value for key, value in self._asdict().items() if key != "subwords"}


FOUND_OUT = How()


class Brought(NamedTuple):
    """What was read from a file or a pasted text."""

    name: str
    digest: str  # the first 12 hex digits of its SHA-256
    kind: str  # "text", "scores" or "model"
    sentences: list[list[str]]
    labels: list[list[str]]  # empty where there are none
    corpus: Corpus | None
    scores: ScoreFile | None
    model: bytes
    warnings: tuple[str, ...]  # oddities that were read nevertheless
    cut: int = 0  # tokens of a text after which no sentence was read; 0 if all were
    about: str = ""  # description of a model


def digest_of(data: bytes) -> str:
    """The digest that a link names a file by."""
    return hashlib.sha256(data).hexdigest()[:12]


def read(name: str, data: bytes, columns: Columns | None = None, how: How = FOUND_OUT) -> Brought:
    """The contents of a file; raises `ArgumentError` with its name, the line, and what was expected."""
    name = name[:80]
    if not data.strip():
        raise ArgumentError(f"{name}: is empty; expected one token a line, scores (.npz) or a model (.zip)")
    if len(data) > MOST_BYTES:
        raise ArgumentError(f"{name}: has {len(data) / 1e6:.0f} MB; at most {MOST_BYTES >> 20} MB are read")
    try:
        return (
            _of_zip(name, data, columns, how)
            if packed_kind(data) == "zip"
            else _of_text(name, data, columns, how)
        )
    except SpcvizError as error:
        message = str(error)
        problem = message if message.startswith(name) else f"{name}: {message.removeprefix('text, ')}"
        raise ArgumentError(problem.replace("text:", "").strip()) from None


def _of_text(name: str, data: bytes, columns: Columns | None, how: How) -> Brought:
    if data.lstrip()[:1] == b"{" and b'"spcviz model' in data[:200]:
        raise ArgumentError(f"{name}: {_HALF}")
    digest = digest_of(data)
    if not packed_kind(data):
        if is_score_table(data):
            return _bring_scores(name, digest, read_scores(_as_file(name, data)))
        _check_lines(name, data)
    corpus = read_conll(
        _as_file(name, data),
        columns=columns,
        max_tokens=MOST_TOKENS,
        max_bytes=MOST_UNPACKED,
        **how.of_text(),
    )
    if (most := max(map(len, corpus.sentences), default=0)) > MOST_TOKENS:
        raise ArgumentError(
            f"{name}: has a sentence of {most:,} tokens; at most {MOST_TOKENS:,} are read: "
            "a blank line ends one"
        )
    corpus = _of_known(corpus)
    used = {label for row in corpus.labels for label in row}
    longest = max(used, key=len, default="")
    if len(longest) > LONGEST_LABEL:
        what = f"the label {longest[:20]!r}... of {len(longest):,} characters"
        raise ArgumentError(f"{name}: has {what}; expected at most {LONGEST_LABEL}: other columns?")
    if len(used) > MOST_KINDS and columns is None:
        without = corpus.columns[0], None
        corpus = corpus._replace(labels=[], scheme="", columns=without, notes=(*corpus.notes, _many(used)))
    elif len(used) > MOST_KINDS:
        raise ArgumentError(
            f"{name}: has {len(used):,} different labels; expected at most {MOST_KINDS:,}: other columns?"
        )
    cut = MOST_TOKENS if corpus.is_cut else 0
    text = corpus.sentences, corpus.labels, corpus, None, b""
    return Brought(name, digest, "text", *text, tuple(_odd(corpus)), cut)


def _of_known(corpus: Corpus) -> Corpus:
    """A corpus without the sentences that have unknown labels: no tagger of the page learns from these."""
    whole = [i for i, row in enumerate(corpus.labels) if None not in row]
    n_left = len(corpus.labels) - len(whole)
    if not n_left:
        return corpus
    if not whole:
        note = (
            "Every sentence has such labels, so they are read without labels. "
            "Sub-words of a tokenizer? Bring whole words, each with its label"
        )
        return corpus._replace(
            labels=[], scheme="", columns=(corpus.columns[0], None), notes=(*corpus.notes, note)
        )
    note = f"{format_count(n_left, 'sentence')} with such labels {'is' if n_left == 1 else 'are'} left out"
    sentences, labels = ([rows[i] for i in whole] for rows in (corpus.sentences, corpus.labels))
    return corpus._replace(sentences=sentences, labels=labels, notes=(*corpus.notes, note))


def _many(used: set[str]) -> str:
    return f"The last column has {len(used):,} different values, too many for labels. Other columns?"


def _as_file(name: str, data: bytes) -> Any:
    file = io.BytesIO(data)
    file.name = name.replace("/", "_")
    return file


def _check_lines(name: str, data: bytes) -> None:
    """Raise `ArgumentError` where a line is too long to hold one token and its label."""
    head = data[:1000]
    is_wide = head[:2] in (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE) or head[:4].count(0)
    if not is_wide and not unread_bytes(data) and (found := _CONTROL.search(data)):
        raise ArgumentError(f"{name}: must be text, got the control character 0x{found[0][0]:02x}")
    if is_wide or looks_like_json(head.decode("latin-1")):
        return
    lines = data.replace(b"\r", b"\n").split(b"\n") if b"\n" not in data else data.split(b"\n")
    longest = max(lines, key=len)
    if (n_signs := len(longest)) > LONGEST_LINE:
        wanted = "expected one token a line, with a blank line after each sentence"
        raise ArgumentError(f"{name}, line {lines.index(longest) + 1}: has {n_signs:,} characters; {wanted}")


def _odd(corpus: Corpus) -> list[str]:
    """Warnings that a reader should see before trusting a text."""
    warnings = []
    warnings += [f"{note.rstrip('.')}." for note in corpus.notes]
    if corpus.is_cut:
        warnings.append(f"Only the first {sum(map(len, corpus.sentences)):,} tokens of the text were read.")
    if corpus.labels and len({label for row in corpus.labels for label in row}) == 1:
        label = f"{corpus.labels[0][0]!r:.40}"
        warnings.append(f"All tokens have the same label, {label}: there is nothing to learn. Other columns?")
    return warnings + _forbidden(corpus.scheme, corpus.sentences, corpus.labels)


def _forbidden(scheme: str, sentences: list[list[str]], labels: list[list[str]]) -> list[str]:
    """Gold transitions that the rules of their own scheme forbid, in a sentence."""
    if not scheme:
        return []
    scheme = "BIO" if scheme == "IOB1" and _begins_chunks(labels) else scheme
    faults = broken(labels, scheme)
    if not faults:
        return []
    i, at = faults[0]
    where = f"behind {labels[i][at - 1]}" if at else "at the beginning"
    first = f"{labels[i][at]} {where}, sentence {i + 1}, token {at + 1} ({sentences[i][at]!r:.40})"
    return [f"The rules of {scheme} forbid {len(faults):,} of the gold labels; the first is {first}."]


def _begins_chunks(labels: list[list[str]]) -> bool:
    """Whether most chunks begin with B: BIO with mistakes, rather than IOB1."""
    n_begun = n_inside = 0
    form = form_of({label for row in labels for label in row})
    for row in labels:
        before = ("O", "")
        for label in row:
            now = parts_of(label, form)
            n_begun += now[0] == "B"
            n_inside += now[0] == "I" and (before[0] == "O" or before[1] != now[1])
            before = now
    return n_begun > n_inside


def _of_zip(name: str, data: bytes, columns: Columns | None, how: How) -> Brought:
    """A model, scores, or a text, packed as zip."""
    archive = opened_zip(name, data)
    n_bytes = sum(archive.sizes.values())
    if n_bytes > MOST_UNPACKED:
        size = f"{n_bytes / 1e6:,.0f} MB; at most {MOST_UNPACKED >> 20} are read"
        raise ArgumentError(f"{name}: unpacks to {size}")
    names = {path.rpartition("/")[2] for path in archive.sizes}
    digest = digest_of(data)
    if MANIFEST in names:
        about = models.describe_tagger(models.model_of(data, name))
        return Brought(name, digest, "model", [], [], None, None, data, (), about=about)
    if "_skeleton.npy" in names:
        raise ArgumentError(f"{name}: {_HALF}")
    if not any(file.endswith(".npy") for file in names):
        return _of_text(name, data, columns, how)
    return _bring_scores(name, digest, read_scores(_as_file(name, data), subwords=how.subwords), how.subwords)


def _bring_scores(name: str, digest: str, scores: ScoreFile, subwords: str = "") -> Brought:
    if (size := scores.emissions.size) > MOST_SCORES:
        raise ArgumentError(
            f"{name}: has {size:,} scores; at most {MOST_SCORES:,} are read (tokens times labels)"
        )
    if len(scores.lengths) > MOST_SEQUENCES:
        n = len(scores.lengths)
        raise ArgumentError(f"{name}: has {n:,} sequences; at most {MOST_SEQUENCES:,} are read")
    if scores.emissions.shape[1] < 2:
        raise ArgumentError(f"{name}: has scores of one label; expected at least 2 columns of scores")
    if not len(scores.emissions):
        raise ArgumentError(f"{name}: must hold scores of at least one token, got none")
    warnings: tuple[str, ...] = ()
    if scores.n_subwords > len(scores.emissions):
        of = f"Of {scores.n_subwords:,} sub-words the {subwords} of each of {len(scores.emissions):,} words"
        warnings = (f"{of} {'is taken' if subwords == 'mean' else 'counts'}.",)
    tokens = scores.tokens or tuple(f"{k + 1}" for n in scores.lengths.tolist() for k in range(n))
    names = scores.label_names or tuple(str(k) for k in range(scores.emissions.shape[1]))
    cuts = list(pairwise([0, *np.cumsum(scores.lengths).tolist()]))
    gold = [] if scores.labels is None else [names[k] if k >= 0 else UNKNOWN for k in scores.labels.tolist()]
    if n_unknown := gold.count(UNKNOWN):
        note = f"{n_unknown:,} gold labels are not known (-100 or empty): their sequences count for nothing."
        warnings = (*warnings, note)
    labels, sentences = ([list(flat[a:b]) for a, b in cuts] if flat else [] for flat in (gold, tokens))
    named = scores._replace(label_names=names)
    whole = [row for row in labels if UNKNOWN not in row]
    warnings += tuple(_forbidden(scheme_of(whole), sentences, whole) if len(whole) == len(labels) else ())
    return Brought(name, digest, "scores", sentences, labels, None, named, b"", warnings)


def format_count(n: int, what: str) -> str:
    """A number and its noun.

    >>> format_count(1, "token"), format_count(1200, "token")
    ('1 token', '1,200 tokens')
    """
    return f"{n:,} {what}{'' if n == 1 else 's'}"


def found(brought: Brought) -> str:
    """What was read, in a line: "312 sentences, 7,214 tokens, 9 labels. CoNLL-2003, ..."."""
    if brought.kind == "model":
        return f"{brought.about}, {len(brought.model) / 1e6:.1f} MB"
    n_tokens = sum(map(len, brought.sentences))
    parts = [format_count(len(brought.sentences), "sentence"), format_count(n_tokens, "token")]
    if brought.scores is not None:
        parts.append(f"scores of {brought.scores.emissions.shape[1]} labels")
        parts.append("transitions there" if brought.scores.transitions is not None else "no transitions")
    elif brought.labels:
        parts.append(format_count(len({label for row in brought.labels for label in row}), "label"))
    if brought.corpus is not None:
        said = brought.corpus.found
        return f"{', '.join(parts)}. {said[:1].upper()}{said[1:]}"
    parts.append("gold labels there" if brought.labels else "no gold labels")
    return ", ".join(parts)
