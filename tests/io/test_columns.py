"""Columns of text: splitting all lines at once gives what splitting line by line gives."""

from unittest.mock import patch

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from spcviz.engine.errors import ArgumentError
from spcviz.io import columns
from spcviz.io.columns import table_of

CELLS = st.sampled_from(
    [
        "a",
        "b",
        "O",
        "B-X",
        "#",
        "#a",
        "-",
        "-DOCSTART-",
        '"',
        '"a"',
        "<s>",
        "a\u00a0b",
        "\u3000",
        "1",
        "2",
        "_",
        "x" * 9,
    ]
)
LINES = st.one_of(
    st.lists(CELLS, min_size=2, max_size=2).map("\t".join),
    st.lists(CELLS, min_size=2, max_size=2).map(" ".join),
    st.sampled_from(["", "", "", " ", "\t", "# id = 3", "# a comment of some words", "<s>", "</s>", " a\tO",
                     "a\tO ", "a  O", "a\t", "token\tlabel", "-DOCSTART- -X- O", "a\tb\tc", "a\tO\r"]),
)  # fmt: skip
NUMBERED = st.one_of(
    st.tuples(st.sampled_from(["1", "2", "3", "1-2", "2.1", "x"]), CELLS, CELLS).map("\t".join),
    st.sampled_from(["", "", "# text = a", "#b", "1\ta\tb\tc"]),
)


def one_by_one(*args, **more):
    with patch.object(columns._Reader, "_is_even", lambda *_: False):
        return table_of(*args, **more)


def made(make, *args, **more):
    try:
        return make(*args, **more)
    except ArgumentError as error:
        return str(error)


@settings(max_examples=400, deadline=None)
@given(
    st.lists(LINES, max_size=30), st.sampled_from(["auto", "tab", "space"]),
    st.sampled_from([None, True, False]), st.sampled_from([None, 1, 3]),
)  # fmt: skip
def test_both_ways_give_the_same(lines, separator, header, most):
    how = {"separator": separator, "header": header, "max_tokens": most}
    assert made(table_of, "\n".join(lines), **how) == made(one_by_one, "\n".join(lines), **how)


@settings(max_examples=300, deadline=None)
@given(st.lists(NUMBERED, max_size=30), st.sampled_from([None, 1, 3]))
def test_both_ways_give_the_same_where_tokens_are_numbered(lines, most):
    how = {"has_ids": True, "max_tokens": most}
    assert made(table_of, "\n".join(lines), **how) == made(one_by_one, "\n".join(lines), **how)


@pytest.mark.parametrize("n", [columns._MOST_LINES - 1, columns._MOST_LINES, 2 * columns._MOST_LINES + 7])
@pytest.mark.parametrize("odd", [None, "# a comment = 1", "a\tb\tc"])
def test_a_text_without_blank_lines_is_one_sentence(n, odd):
    lines = ["word\tX", *("other\tY" for _ in range(n - 1))]
    if odd:
        lines[n // 2] = odd
    text = "\n".join([*lines, "", "last\tX"])
    got = made(table_of, text)
    assert got == made(one_by_one, text)
    if odd == "a\tb\tc":
        assert f"line {n // 2 + 1}: must have 2 columns" in got
    else:
        assert [len(sentence[0]) for sentence in got.sentences] == [n - (odd is not None), 1]
        assert got.first_lines == [1, n + 2]


def test_the_usual_lines_are_parted_as_a_whole():
    """The fast path is taken where it can be; otherwise the tests above compare the slow one with itself."""
    taken = []
    plain = columns._Reader._take_plain

    def watched(*args):
        taken.append(plain(*args))
        return taken[-1]

    with patch.object(columns._Reader, "_take_plain", watched):
        table_of("a X\nb Y\n\nc X\n")
        table_of('# text = a\n1\t"\t_\tNOUN\t_\t_\t0\troot\t_\t_\n\n2\tb\t_\tX\t_\t_\t0\troot\t_\t_\n')
        table_of("token\tlabel\na\tX\n\nb\tY\n")
    assert taken == [True, True, True, True, False, True]
