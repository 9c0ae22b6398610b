"""Chunk rules against the definition: a labelling is allowed iff its chunks, written again, give it back."""

from itertools import product

import numpy as np
import pytest

from spcviz.engine.errors import ArgumentError
from spcviz.scores import bio_transitions, from_emissions, scheme_of
from spcviz.scores.schemes import is_chunked

LABELS = {
    "BIO": ["O", "B-X", "I-X", "B-Y", "I-Y"],
    "IOB1": ["O", "B-X", "I-X", "B-Y", "I-Y"],
    "BIOES": ["O", "B-X", "I-X", "E-X", "S-X", "B-Y", "E-Y", "I-Y", "S-Y"],
}


def written(chunks, length, scheme):
    """Labels of chunks [(first, stop, kind)] in a scheme: by its definition, chunk by chunk."""
    out = ["O"] * length
    for n, (first, stop, kind) in enumerate(chunks):
        for i in range(first, stop):
            out[i] = f"I-{kind}"
        if scheme == "BIO" or (scheme == "IOB1" and n and chunks[n - 1][1:] == (first, kind)):
            out[first] = f"B-{kind}"
        elif scheme == "BIOES":
            out[first], out[stop - 1] = f"B-{kind}", f"E-{kind}"
            if stop - first == 1:
                out[first] = f"S-{kind}"
    return tuple(out)


def all_chunks(length, first=0):
    """Every way to have chunks of two kinds among positions."""
    yield []
    for a in range(first, length):
        for b in range(a + 1, length + 1):
            for kind in "XY":
                yield from ([(a, b, kind), *rest] for rest in all_chunks(length, b))


@pytest.mark.parametrize("scheme", list(LABELS))
@pytest.mark.parametrize("length", [1, 2, 3])
def test_what_is_allowed_is_what_chunks_are_written_as(scheme, length):
    labels = LABELS[scheme]
    rules = bio_transitions(labels, scheme)
    want = {written(chunks, length, scheme) for chunks in all_chunks(length)}
    sequences = from_emissions([np.zeros((length, len(labels)))], **rules._asdict(), labels=labels)
    got = {tags for tags in product(labels, repeat=length) if sequences.score([tags])[0] == 0.0}
    assert got == want


def test_auto_and_other_names_of_schemes():
    bilou = ["O", "B_X", "I_X", "L_X", "U_X"]
    bioes = ["O", "B-X", "I-X", "E-X", "S-X"]
    for first, second in zip(bio_transitions(bilou), bio_transitions(bioes, "BIOES")):
        assert first.tolist() == second.tolist()
    auto, named = bio_transitions(LABELS["BIO"]), bio_transitions(LABELS["BIO"], "IOB2")
    assert auto.transitions.tolist() == named.transitions.tolist()
    assert bio_transitions([]).transitions.shape == (0, 0)


def test_the_scheme_of_sentences():
    assert scheme_of([["B-X", "I-X", "O"], ["O"]]) == "BIO"
    assert scheme_of([["O"], ["I-X", "I-X", "B-X"]]) == "IOB1"
    assert scheme_of([["B-X", "I-Y"]]) == "IOB1"
    assert scheme_of([["S-X", "O"]]) == "BIOES"
    assert scheme_of([["NN", "B-X"]]) == scheme_of([["O", "O"]]) == scheme_of([]) == ""
    assert all(map(is_chunked, (["O", "B"], ["B", "M", "E", "S"], ["X-B", "O"])))
    assert not any(map(is_chunked, (["B"], ["O", "A", "B"], ["O", "E"])))


def test_refusals():
    with pytest.raises(ArgumentError, match="labels must be O or like B-x, I-x, E-x, S-x, got 'NN'"):
        bio_transitions(["O", "NN"])
    with pytest.raises(ArgumentError, match="scheme must be one of auto, BIO, IOB1, BIOES, got 'XYZ'"):
        bio_transitions(["O"], "XYZ")
    with pytest.raises(ArgumentError, match="scheme must have the label 'E-X', got 'BIO'"):
        bio_transitions(["O", "E-X"], "BIO")
    with pytest.raises(ArgumentError, match="labels must be a sequence of names, got 'O'"):
        bio_transitions("O")


def test_kinds_that_no_label_begins_are_iob1_or_refused():
    for labels in (["O", "I-X"], ["O", "I-X", "B-Y", "I-Y"]):
        auto, named = bio_transitions(labels), bio_transitions(labels, "IOB1")
        for one, other in zip(auto, named):
            assert one.tolist() == other.tolist()
        assert auto.start[1] == 0.0
        with pytest.raises(ArgumentError, match="labels must have B-X beside 'I-X': in BIO nothing else"):
            bio_transitions(labels, "BIO")
    with pytest.raises(ArgumentError, match="labels must have B-X beside 'E-X': in BIOES"):
        bio_transitions(["O", "E-X", "S-X"])


def test_schemes_go_by_any_name_in_small_letters_or_large():
    for names in (("BIO", "bio", "IOB2", "iob2"), ("BIOES", "bioes", "BILOU", "iobes")):
        (rules, *others) = (bio_transitions(LABELS[names[0]], name) for name in names)
        for other in others:
            assert all(np.array_equal(one, another) for one, another in zip(rules, other))
