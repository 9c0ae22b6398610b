r"""Features of a tagger's words: 64-bit codes of word pieces and neighbours, and their numbering.

A *template* (this word, its last three letters, the word before, ...) applied to a position gives one
code: a hash of the template's number and of code points. A vocabulary maps the codes seen in training to
0 .. F - 1; all others are -1 and count for nothing. From here on a sentence is integers: neither strings nor
dictionaries are used again (codes are stored in an open-addressing table).

A pair of words is hashed without its order: "saw the" and "the saw" are one feature, and so are all words
that occur twice in a row ("had had", "that that"). The stored models were trained this way.

With F = 10^5 features the chance that any two of them share one of the 2^64 codes is about 3e-10.
"""

from collections.abc import Sequence
from typing import Literal, NamedTuple

import numpy as np
from cachetools.func import lru_cache
from numpy.typing import ArrayLike

from spcviz.engine import checks
from spcviz.engine.errors import ArgumentError
from spcviz.engine.kernels.jit import inlined_kernel, kernel

PAPER_TEMPLATES = ("word",)
FULL_TEMPLATES = (
    "word",
    "lower-case word",
    "first letter",
    "first 2 letters",
    "first 3 letters",
    "first 4 letters",
    "last letter",
    "last 2 letters",
    "last 3 letters",
    "last 4 letters",
    "shape",
    "starts with a capital",
    "all capitals",
    "has a digit",
    "has a hyphen",
    "word before",
    "word after",
    "second word before",
    "second word after",
    "word before and word, in either order",
    "word and word after, in either order",
    "last 3 letters of the word before",
    "last 3 letters of the word after",
    "shape of the word before",
    "shape of the word after",
)
TEMPLATES = {"paper": PAPER_TEMPLATES, "full": FULL_TEMPLATES}
"""Feature sets: "paper" is the thesis's (word and tag), "full" adds affixes, case, digits, neighbours."""

MAX_WORDS = 10_000_000
_SIGN, _DIGIT, _LOWER, _UPPER, _HYPHEN = range(1, 6)
_EDGE = np.uint64(0x9D39247E33776D41)  # the hash of words beyond both ends of a sentence
_START = np.uint64(0xCBF29CE484222325)
_PRIME = np.uint64(0x9E3779B97F4A7C15)
_MIX = np.uint64(0xBF58476D1CE4E5B9)
_HIGH = np.uint64(31)


class WordVocabulary(NamedTuple):
    """Codes of known features in an open-addressing table; made by `vocabulary`."""

    features: str  # name of the feature set
    codes: np.ndarray  # (F,) uint64, increasing: feature f has the code ``codes[f]``
    keys: np.ndarray  # (a power of two,) uint64: 0 = free
    numbers: np.ndarray  # int32


def feature_codes(words: Sequence[str], lengths: ArrayLike, features: Literal["paper", "full"]) -> np.ndarray:
    """The code of every template at every position, (R, T) uint64; 0 where a template does not apply.

    `words` are those of all sentences, `lengths` (W,) those of the sentences. Raises `ArgumentError` for an
    unknown feature set, a word that is empty or no string, or lengths that do not add up.

    >>> codes = feature_codes(["the", "dog", "the"], [2, 1], "paper")
    >>> bool(codes[0, 0] == codes[2, 0]), bool(codes[0, 0] == codes[1, 0])
    (True, False)
    """
    if features not in TEMPLATES:
        raise ArgumentError(f"features must be one of {', '.join(TEMPLATES)}, got {features!r}")
    lengths = checks.lengths(lengths, MAX_WORDS)
    if lengths.sum() != len(words):
        raise ArgumentError(f"lengths must add up to {len(words)} (the words), got {lengths.sum()}")
    try:
        points = np.frombuffer("".join(words).encode("utf-32-le", "surrogatepass"), dtype=np.uint32)
    except TypeError as error:
        raise ArgumentError(f"words must be strings, got {words!r:.60}") from error
    start = np.zeros(len(words) + 1, dtype=np.int64)
    np.cumsum(np.fromiter(map(len, words), dtype=np.int64, count=len(words)), out=start[1:])
    if len(words) and (np.diff(start) == 0).any():
        raise ArgumentError(f"words[{np.diff(start).argmin()}] must not be empty")
    row_start = np.zeros(len(lengths) + 1, dtype=np.int64)
    np.cumsum(lengths, out=row_start[1:])
    out = np.zeros((len(words), len(TEMPLATES[features])), dtype=np.uint64)
    kinds, lower = _characters()
    if features == "paper":
        _word_codes(points, start, out)
    else:
        _full_codes(points, start, row_start, kinds, lower, out)
    return out


def vocabulary(features: str, codes: np.ndarray, least: int = 1) -> WordVocabulary:
    """Number the codes that occur at least `least` times; 0 is not a code."""
    least = checks.integer("least", least, 1, 2**31)
    distinct, counts = np.unique(np.asarray(codes, dtype=np.uint64), return_counts=True)
    return vocabulary_of(features, distinct[(distinct != 0) & (counts >= least)])


def vocabulary_of(features, codes):
    """A vocabulary from its increasing codes (as stored)."""
    if features not in TEMPLATES:
        raise ArgumentError(f"features must be one of {', '.join(TEMPLATES)}, got {features!r}")
    codes = np.ascontiguousarray(codes, dtype=np.uint64)
    if codes.ndim != 1 or (len(codes) and (codes[0] == 0 or (codes[1:] <= codes[:-1]).any())):
        raise ArgumentError("codes must be rising positive numbers")
    size = 1 << int(np.ceil(np.log2(2 * len(codes) + 2)))
    keys, numbers = np.zeros(size, dtype=np.uint64), np.full(size, -1, dtype=np.int32)
    _fill(codes, keys, numbers)
    return WordVocabulary(features, codes, keys, numbers)


def feature_numbers(vocabulary: WordVocabulary, words, lengths) -> np.ndarray:
    """Words as feature numbers, (R, T) int32; -1 for features that training did not see.

    >>> known = vocabulary("paper", feature_codes(["the", "dog"], [2], "paper"))
    >>> feature_numbers(known, ["the", "cat"], [2])[1].tolist()
    [-1]
    """
    codes = feature_codes(words, lengths, vocabulary.features)
    return numbers_of(vocabulary, codes)


def numbers_of(vocabulary, codes):
    """Codes as feature numbers, same shape, int32."""
    codes = np.ascontiguousarray(codes, dtype=np.uint64)
    out = np.empty(codes.shape, dtype=np.int32)
    _look_up(codes.reshape(-1), vocabulary.keys, vocabulary.numbers, out.reshape(-1))
    return out


@lru_cache(maxsize=1)
def _characters():
    """(kind, lower case) of each code point of the basic plane; others are characters without case."""
    kinds, lower = np.full(65536, _SIGN, dtype=np.uint8), np.arange(65536, dtype=np.uint32)
    for point in range(65536):
        character = chr(point)
        small = character.lower()
        if len(small) == 1:
            lower[point] = ord(small)
        if character.isdigit():
            kinds[point] = _DIGIT
        elif character.isupper():
            kinds[point] = _UPPER
        elif character.isalpha():
            kinds[point] = _LOWER
    kinds[[ord("-"), 0x2010, 0x2011]] = _HYPHEN
    kinds.flags.writeable = lower.flags.writeable = False
    return kinds, lower


@inlined_kernel
def _step(h, value):
    """Add one code point to a hash."""
    return (h ^ np.uint64(value)) * _PRIME


@inlined_kernel
def _code(template, h):
    """A code from a template's number and a hash: well mixed, never 0."""
    h = (h ^ (np.uint64(template + 1) * _MIX)) * _PRIME
    h = (h ^ (h >> _HIGH)) * _MIX
    h ^= h >> _HIGH
    return h if h != np.uint64(0) else np.uint64(1)


@kernel
def _word_codes(points, start, out):
    for r in range(len(out)):
        h = _START
        for i in range(start[r], start[r + 1]):
            h = _step(h, points[i])
        out[r, 0] = _code(0, h)


@kernel
def _full_codes(points, start, row_start, kinds, lower, out):
    n = len(out)
    small, tail, shape = np.empty(n, np.uint64), np.empty(n, np.uint64), np.empty(n, np.uint64)
    for r in range(n):
        small[r], tail[r], shape[r] = _codes_of_word(points, start[r], start[r + 1], kinds, lower, out[r])
    for w in range(len(row_start) - 1):
        first, last = row_start[w], row_start[w + 1]
        for r in range(first, last):
            _codes_of_place(r, first, last, small, tail, shape, out[r])


@inlined_kernel
def _codes_of_word(points, begin, end, kinds, lower, out):
    """Templates 0 .. 14; returns hashes of the lower-case word, its last three letters, its shape."""
    word, small, shape, kind_before = _START, _START, _START, 0
    n_upper, n_digits, n_hyphens = 0, 0, 0
    for i in range(begin, end):
        p = points[i]
        kind, q = (kinds[p], lower[p]) if p < 65536 else (_SIGN, p)
        word, small = _step(word, p), _step(small, q)
        if kind != kind_before:  # repetitions count once: "Xx" is any word with one capital
            shape = _step(shape, q if kind == _SIGN else kind)
        kind_before = kind
        n_upper += kind == _UPPER
        n_digits += kind == _DIGIT
        n_hyphens += kind == _HYPHEN
        if i - begin < 4:
            out[2 + i - begin] = _code(2 + i - begin, small)
    tail, h = _START, _START
    for j in range(min(end - begin, 4)):
        p = points[end - 1 - j]
        h = _step(h, lower[p] if p < 65536 else p)
        out[6 + j] = _code(6 + j, h)
        tail = h if j < 3 else tail
    out[0], out[1], out[10] = _code(0, word), _code(1, small), _code(10, shape)
    first = points[begin]
    if first < 65536 and kinds[first] == _UPPER:
        out[11] = _code(11, _START)
    if n_upper == end - begin:
        out[12] = _code(12, _START)
    if n_digits > 0:
        out[13] = _code(13, _START)
    if n_hyphens > 0:
        out[14] = _code(14, _START)
    return small, tail, shape


@inlined_kernel
def _codes_of_place(r, first, last, small, tail, shape, out):
    """Templates 15 .. 24: the neighbours."""
    before = small[r - 1] if r > first else _EDGE
    after = small[r + 1] if r + 1 < last else _EDGE
    out[15], out[16] = _code(15, before), _code(16, after)
    out[17] = _code(17, small[r - 2] if r > first + 1 else _EDGE)
    out[18] = _code(18, small[r + 2] if r + 2 < last else _EDGE)
    out[19] = _code(19, _step(before, small[r]))
    out[20] = _code(20, _step(small[r], after))
    out[21] = _code(21, tail[r - 1] if r > first else _EDGE)
    out[22] = _code(22, tail[r + 1] if r + 1 < last else _EDGE)
    out[23] = _code(23, shape[r - 1] if r > first else _EDGE)
    out[24] = _code(24, shape[r + 1] if r + 1 < last else _EDGE)


@kernel
def _fill(codes, keys, numbers):
    mask = np.uint64(len(keys) - 1)
    for f in range(len(codes)):
        slot = codes[f] & mask
        while keys[slot] != 0:
            slot = (slot + np.uint64(1)) & mask
        keys[slot], numbers[slot] = codes[f], f


@kernel
def _look_up(codes, keys, numbers, out):
    mask = np.uint64(len(keys) - 1)
    for i in range(len(codes)):
        code = codes[i]
        slot = code & mask
        while keys[slot] != 0 and keys[slot] != code:
            slot = (slot + np.uint64(1)) & mask
        out[i] = numbers[slot] if code != 0 else np.int32(-1)
