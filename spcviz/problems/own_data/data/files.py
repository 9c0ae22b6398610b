"""What a visitor's bytes are: tagged text, scores, or a model; or a sentence on what is wrong.

Nothing here writes to a disk or runs anything that a file says. Sizes are looked at before parsing.
"""

import codecs
import contextlib
import hashlib
import io
import json
import re
from itertools import islice, pairwise
from typing import Any, NamedTuple

import numpy as np

from spcviz.engine.errors import ArgumentError, SpcvizError
from spcviz.io.arrays import arrays_of
from spcviz.io.conll import Corpus, read_conll
from spcviz.io.scores import ScoreFile, read_scores
from spcviz.io.zipped import MANIFEST
from spcviz.problems.own_data.model import brought as models
from spcviz.problems.own_data.model.settings import broken
from spcviz.scores.schemes import parts_of, scheme_of
from spcviz.scores.token_classifier import words_of
from spcviz.store.errors import DamagedError
from spcviz.store.zips import Zip

MOST_BYTES = 20 << 20
MOST_TEXT = 4 << 20
MOST_LINES = 120_000
"""Bytes and lines of a text that are read; of a larger one, the sentences that fit."""

LONGEST_LINE, LONGEST_LABEL = 20_000, 100
MOST_UNPACKED = 64 << 20
MOST_SCORES, MOST_SEQUENCES = 1_000_000, 120_000

_HALF = (
    f"is half of a model; expected one .zip of the folder that spcviz.save wrote ({MANIFEST} and its .npz)"
)

_CONTROL = re.compile(rb"[\x01-\x08\x0e-\x1f]")
_PARTS = re.compile(rb"[,\t ]")

Columns = tuple[int, int | None]


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
    warnings: tuple[str, ...]  # what is odd and was read all the same
    cut: int = 0  # bytes of a text that were read, if not all
    about: str = ""  # what a model is


def digest_of(data: bytes) -> str:
    """What a link says of a file."""
    return hashlib.sha256(data).hexdigest()[:12]


def read(name: str, data: bytes, columns: Columns | None = None) -> Brought:
    """What a file holds; else an `ArgumentError` with its name, the line, and what was expected."""
    name = name[:80]
    if not data.strip():
        raise ArgumentError(f"{name}: is empty; expected one token a line, scores (.npz) or a model (.zip)")
    if len(data) > MOST_BYTES:
        raise ArgumentError(f"{name}: has {len(data) / 1e6:.0f} MB; at most {MOST_BYTES >> 20} MB are read")
    try:
        if data[:2] == b"PK":
            return _of_zip(name, data)
        return _of_text(name, data, columns)
    except SpcvizError as error:
        message = str(error)
        problem = message if message.startswith(name) else f"{name}: {message.removeprefix('text, ')}"
        raise ArgumentError(problem.replace("text:", "").strip()) from None


def _of_text(name: str, data: bytes, columns: Columns | None) -> Brought:
    if data.lstrip()[:1] == b"{" and b'"spcviz model' in data[:200]:
        raise ArgumentError(f"{name}: {_HALF}")
    if what := _no_columns(data):
        raise ArgumentError(f"{name}: {what}; expected one token a line, its label beside it")
    line, n_signs = _longest(data)
    if n_signs > LONGEST_LINE:
        wanted = "expected one token a line, with a blank line after each sentence"
        raise ArgumentError(f"{name}, line {line}: has {n_signs:,} signs; {wanted}")
    digest, warnings, cut = digest_of(data), [], 0
    if _is_scores(data):
        return _scored(name, digest, read_scores(_named(name, data)), ())
    most = min(MOST_TEXT, _end_of_line(data, MOST_LINES))
    if len(data) > most:
        ends = [data.rfind(blank, 0, most) for blank in (b"\n\n", b"\r\n\r\n", b"\r\r")]
        cut = max(ends) if max(ends) > 0 else max(data.rfind(b"\n", 0, most), data.rfind(b"\r", 0, most))
        data = data[:cut]
        warnings.append(f"Only the first {len(data) / 1e6:.1f} MB of the text were read.")
    corpus = read_conll(_named(name, data), columns=columns)
    longest = max((label for row in corpus.labels for label in row), key=len, default="")
    if len(longest) > LONGEST_LABEL:
        what = f"the label {longest[:20]!r}... of {len(longest):,} signs"
        raise ArgumentError(f"{name}: has {what}; expected at most {LONGEST_LABEL}: other columns?")
    text = corpus.sentences, corpus.labels, corpus, None, b""
    return Brought(name, digest, "text", *text, (*warnings, *_odd(corpus)), cut)


def _named(name: str, data: bytes) -> Any:
    file = io.BytesIO(data)
    file.name = name.replace("/", "_")
    return file


def _no_columns(data: bytes) -> str:
    """What a text is that looks like text, but not like tokens in columns; empty if nothing is the matter."""
    if data[:4] in (codecs.BOM_UTF32_LE, codecs.BOM_UTF32_BE):
        return "is UTF-32; save it as UTF-8"
    head = data[:1000].lstrip()
    if head[:5].lower() in (b"<html", b"<!doc", b"<?xml"):
        return "is a web page or XML"
    if head[:1] == b"{":
        for text in (head.partition(b"\n")[0], data):
            with contextlib.suppress(ValueError, RecursionError):
                if isinstance(json.loads(text), dict):
                    return "is JSON"
    if head[:2] not in (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE) and (control := _CONTROL.search(data)):
        return f"must be text, got the control character 0x{control[0][0]:02x}"
    lines = [line for line in data.splitlines() if line.strip()]
    if all(line.count(b";") and not _PARTS.search(line) for line in lines):
        return "parts its columns by semicolons; part them by commas, tabs or spaces"
    return ""


def _end_of_line(data: bytes, n: int) -> int:
    """Where the n-th line ends, or the text."""
    newline = next(islice(re.finditer(b"\r\n|\r|\n", data), n - 1, None), None)
    return len(data) if newline is None else newline.start()


def _longest(data: bytes) -> tuple[int, int]:
    """(number, length) of the longest line."""
    lines = data.replace(b"\r", b"\n").split(b"\n") if b"\n" not in data else data.split(b"\n")
    longest = max(range(len(lines)), key=lambda n: len(lines[n]))
    return longest + 1, len(lines[longest])


def _is_scores(data: bytes) -> bool:
    """Whether a text is a table of scores: its header has ``sequence``, and columns beside token and gold."""
    head = data.partition(b"\n")[0].decode("utf-8", "replace").strip("\ufeff\r ").lower()
    sign = max(",;\t", key=head.count)
    names = [column.strip() for column in head.split(sign)]
    return "sequence" in names and len({*names} - {"sequence", "token", "gold", "label"}) > 1


def _odd(corpus: Corpus) -> list[str]:
    """What a reader should know of a text before he trusts it."""
    warnings = []
    if corpus.encoding == "latin-1":
        warnings.append("The bytes are no UTF-8 and were read as Latin-1: look whether the words are right.")
    if corpus.labels and len({label for row in corpus.labels for label in row}) == 1:
        label = f"{corpus.labels[0][0]!r:.40}"
        warnings.append(f"All tokens have the same label, {label}: there is nothing to learn. Other columns?")
    return warnings + _forbidden(corpus.scheme, corpus.sentences, corpus.labels)


def _forbidden(scheme: str, sentences: list[list[str]], labels: list[list[str]]) -> list[str]:
    """Steps of the gold that the rules of its own scheme forbid, in a sentence."""
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
    for row in labels:
        before = ("O", "")
        for label in row:
            now = parts_of(label)
            n_begun += now[0] == "B"
            n_inside += now[0] == "I" and (before[0] == "O" or before[1] != now[1])
            before = now
    return n_begun > n_inside


def _of_zip(name: str, data: bytes) -> Brought:
    try:
        archive = Zip(data)
    except DamagedError as error:
        raise ArgumentError(f"{name}: must be an .npz or .zip that can be unpacked: it {error}") from None
    n_bytes = sum(archive.sizes.values())
    if n_bytes > MOST_UNPACKED:
        size = f"{n_bytes / 1e6:,.0f} MB; at most {MOST_UNPACKED >> 20} are read"
        raise ArgumentError(f"{name}: unpacks to {size}")
    names = {file.rpartition("/")[2] for file in archive.names}
    digest = digest_of(data)
    if MANIFEST in names:
        about = models.said(models.model_of(data, name))
        return Brought(name, digest, "model", [], [], None, None, data, (), about=about)
    if "_skeleton.npy" in names:
        raise ArgumentError(f"{name}: {_HALF}")
    if not any(file.endswith(".npy") for file in names):
        inside = ", ".join(sorted(names)[:3])
        raise ArgumentError(f"{name}: holds no scores and no model, but {inside:.80}; bring what is inside")
    if "logits.npy" in names:
        return _scored(name, digest, *_of_logits(name, data))
    return _scored(name, digest, read_scores(_named(name, data)), ())


def _of_logits(name: str, data: bytes) -> tuple[ScoreFile, tuple[str, ...]]:
    """Scores of words in the logits of a token classifier: the first sub-word of each counts."""
    wanted = ("logits", "word_ids", "attention_mask", "id2label", "labels", "tokens")
    arrays = arrays_of(name, data, wanted)
    if "word_ids" not in arrays:
        raise ArgumentError(
            f"{name}: must hold word_ids beside logits: of each token its word's number, or -1"
        )
    numbers = np.atleast_2d(arrays["word_ids"])
    if numbers.ndim != 2 or numbers.dtype.kind not in "iu":
        got = f"{numbers.dtype} in {numbers.ndim}"
        raise ArgumentError(f"{name}: word_ids must be whole numbers in one or two dimensions, got {got}")
    ids = [[None if k < 0 else k for k in row] for row in numbers.tolist()]
    logits = arrays["logits"] if arrays["logits"].ndim == 3 else arrays["logits"][None]
    if not len(ids):
        raise ArgumentError(f"{name}: must hold logits of at least one sequence, got none")
    tables = words_of(logits, ids, arrays.get("attention_mask"))
    made = {"emissions": np.concatenate(tables), "lengths": np.array(list(map(len, tables)))}
    named = {"id2label": "label_names", "labels": "labels", "tokens": "tokens"}
    made |= {field: arrays[key] for key, field in named.items() if key in arrays}
    if np.atleast_2d(made.get("labels", 0)).shape == numbers.shape and numbers.size != len(made["emissions"]):
        made["labels"] = _of_first(np.atleast_2d(made["labels"]), ids, arrays.get("attention_mask"))
    buffer = io.BytesIO()
    np.savez(buffer, allow_pickle=False, **made)
    n_pieces = sum(k is not None for row in ids for k in row)
    note = f"Of {n_pieces:,} sub-words the first of each of {len(made['emissions']):,} words counts."
    return read_scores(_named(name, buffer.getvalue())), (note,)


def _of_first(labels: np.ndarray, ids: list[list[int | None]], mask: np.ndarray | None) -> np.ndarray:
    """Labels of sub-words, as they are trained on, as labels of words: those of the first of each."""
    firsts = []
    for i, row in enumerate(ids):
        first: dict[int, int] = {}
        for at, word in enumerate(row):
            if word is not None and (mask is None or np.atleast_2d(mask)[i, at]):
                first.setdefault(word, at)
        firsts.append(labels[i, list(first.values())])
    return np.concatenate(firsts)


def _scored(name: str, digest: str, scores: ScoreFile, warnings: tuple[str, ...]) -> Brought:
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
    tokens = scores.tokens or tuple(f"{k + 1}" for n in scores.lengths.tolist() for k in range(n))
    names = scores.label_names or tuple(str(k) for k in range(scores.emissions.shape[1]))
    cuts = list(pairwise([0, *np.cumsum(scores.lengths).tolist()]))
    gold = [] if scores.labels is None else [names[k] for k in scores.labels.tolist()]
    labels, sentences = ([list(flat[a:b]) for a, b in cuts] if flat else [] for flat in (gold, tokens))
    named = scores._replace(label_names=names)
    warnings += tuple(_forbidden(scheme_of(labels), sentences, labels) if labels else ())
    return Brought(name, digest, "scores", sentences, labels, None, named, b"", warnings)


def found(brought: Brought) -> str:
    """What was read, in a line: "312 sentences, 7,214 tokens, 9 labels, BIO, gold labels there"."""
    if brought.kind == "model":
        return f"{brought.about}, {len(brought.model) / 1e6:.1f} MB"
    n_tokens = sum(map(len, brought.sentences))
    parts = [f"{len(brought.sentences):,} sentences", f"{n_tokens:,} tokens"]
    if brought.scores is not None:
        parts.append(f"scores of {brought.scores.emissions.shape[1]} labels")
        parts.append("transitions there" if brought.scores.transitions is not None else "no transitions")
    elif brought.labels:
        parts.append(f"{len({label for row in brought.labels for label in row}):,} labels")
    if brought.corpus is not None:
        parts += [part for part in (_FORMATS.get(brought.corpus.format, ""), brought.corpus.scheme) if part]
    parts.append("gold labels there" if brought.labels else "no gold labels")
    return ", ".join(parts)


_FORMATS = {
    "conllu": "CoNLL-U", "conll2000": "CoNLL-2000", "conll2003": "CoNLL-2003",
    "tsv": "columns parted by tabs", "csv": "CSV", "columns": "columns parted by spaces",
    "tokens": "one column",
}  # fmt: skip
