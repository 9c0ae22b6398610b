"""Hostile files: each gets its answer in time, with work that grows no faster than the file."""

import gc
import os
from functools import partial

import numpy as np
import pytest

from spcviz.engine.errors import ArgumentError
from spcviz.problems.own_data.model.files import MOST_SEQUENCES, MOST_TOKENS, read
from spcviz.scores.schemes import bio_transitions, find_broken
from tests.problems.own_data import hostile
from tests.strategies import cases


def test_hostile_files_are_read_or_refused():
    """3000 files with SPCVIZ_STRESS=1; `bench robust --only brought` runs them, too."""
    assert {hostile.check_brought(seed) for seed in range(cases(3000, usual=9))} <= {"read", "refused"}


def seconds(work):
    """CPU time of some work; the collector skips objects that other tests left."""
    gc.collect()
    gc.freeze()
    before = os.times()
    try:
        work()
    finally:
        gc.unfreeze()
    after = os.times()
    return after.user + after.system - before.user - before.system


GROWING = {
    "labels": lambda n: "".join(f"a B-{k}\n" for k in range(n)).encode(),
    "labels inside": lambda n: "".join(f"a I-{k}\n\n" for k in range(n)).encode(),
    "plain labels": lambda n: "".join(f"a L{k}\n" for k in range(n)).encode(),
    "sentences": lambda n: b"a X\n\n" * n,
    "one sentence": lambda n: b"a X\n" * n,
    "columns": lambda n: (" ".join(["c"] * (n // 10)) + "\n").encode() * 10,
    "scores": lambda n: hostile.npz(emissions=np.zeros((n, 3)), lengths=np.ones(n, dtype=np.int64)),
}


@pytest.mark.parametrize("name", GROWING)
def test_work_grows_no_faster_than_the_file(name):
    """From 2 to 8 times the size the work grows at most 8 times; over all pairs it would grow 16 times.

    The test compares CPU times. The small file's is the least of three, because it is too short to measure on
    a busy machine. For the large file one reading within the limit is enough: more could only be faster.
    """
    make, usual = GROWING[name], 4000
    read("warm", make(100))
    small, large = (partial(read, "f", make(n * usual)) for n in (2, 8))
    limit = 8 * max(min(seconds(small) for _ in range(3)), 0.06)
    took = []
    while len(took) < 3 and not (took and took[-1] < limit):
        took.append(seconds(large))
    assert min(took) < limit, (took, limit)


def test_rules_of_thousands_of_labels_take_a_moment():
    labels = [f"B-{k}" for k in range(3000)]
    assert seconds(lambda: bio_transitions(labels)) < 3
    assert seconds(lambda: find_broken([labels] * 3, "BIO")) < 1


def none_of(*shape, dtype=float):
    return np.zeros(shape, dtype=dtype)


NO_TOKENS = "must hold scores of at least one token"


@pytest.mark.parametrize(
    ("arrays", "message"),
    [
        (
            {"logits": none_of(0, 4, 3), "word_ids": none_of(0, 4, dtype=int)},
            "logits must be of at least one sequence",
        ),
        (
            {"logits": none_of(0, 0, 0), "word_ids": none_of(0, 0, dtype=int)},
            "logits must be of at least one sequence",
        ),
        (
            {"logits": none_of(3, 4, 3), "word_ids": none_of(3, 4, dtype=int) - 1},
            NO_TOKENS,
        ),
        (
            {"emissions": none_of(0, 3), "lengths": none_of(0, dtype=int)},
            NO_TOKENS,
        ),
        (
            {"emissions": none_of(0, 3), "lengths": none_of(5, dtype=int)},
            NO_TOKENS,
        ),
    ],
)
def test_scores_of_nothing_are_refused_in_words(arrays, message):
    with pytest.raises(ArgumentError, match=rf"^a\.npz: {message}, got none$"):
        read("a.npz", hostile.npz(**arrays))


@pytest.mark.parametrize("end", ["\r", "\n", "\r\n", "\n\r"])
@pytest.mark.parametrize("encoding", ["utf-8", "utf-16"])
def test_a_text_of_one_endless_sentence_is_refused_however_its_lines_end(end, encoding):
    """No style of line ending may let more than a page's tokens through."""
    data = f"a X{end}".encode(encoding) + f"a X{end}".encode(encoding.replace("16", "16-le")) * 250_000
    with pytest.raises(ArgumentError, match=r"^a\.txt: has a sentence of [\d,]+ tokens; at most 120,000"):
        read("a.txt", data)


@pytest.mark.parametrize("end", ["\r", "\n", "\r\n"])
def test_what_is_over_the_tokens_of_a_page_is_left_out_however_lines_end(end):
    brought = read("a.txt", (f"a X{end}b Y{end}{end}" * 100_000).encode())
    assert sum(map(len, brought.sentences)) == brought.cut == MOST_TOKENS


@pytest.mark.parametrize("n", [MOST_SEQUENCES + 1, 900_000])
def test_sentences_of_no_length_are_counted_as_sentences(n):
    lengths = np.zeros(n, dtype=np.int64)
    lengths[0] = 1
    with pytest.raises(ArgumentError, match=rf"^a\.npz: has {n:,} sequences; at most 120,000 are read$"):
        read("a.npz", hostile.npz(emissions=np.zeros((1, 3)), lengths=lengths))


@pytest.mark.parametrize("data", [b"[" + b"[]," * 200_000 + b"[]]", b'{"tokens":[],"labels":[]}\n' * 200_000])
def test_records_of_no_token_are_no_sentences(data):
    with pytest.raises(ArgumentError, match="holds no tokens"):
        read("a.json", data)
