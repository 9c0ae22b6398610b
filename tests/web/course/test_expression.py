"""The language of checks: the meaning of its expressions, and the refusal of everything else."""

import pytest

from spcviz.web.course.expression import ExpressionError, UnknownNameError, is_true, names

VALUES = {"n": 3, "x": 0.5, "word": "qual", "none": None, "yes": True, "some": [1, 2, 3], "falls": (0.2, 0.9)}


@pytest.mark.parametrize(
    ("check", "expected"),
    [
        ("n == 3", True),
        ("1 < n <= 3 and not none", True),
        ("n - 1 == 2 and n + 1 == 4 and -n == -3", True),
        ("word == 'qual' or n > 99", True),
        ("'ual' in word and 'z' not in word", True),
        ("word in ('a', 'qual')", True),
        ("none is None and n is not None", True),
        ("len(word) == 4 and sum(some) == 6 and min(falls) == 0.2 and round(x, 0) == 0", True),
        ("none < 10", False),  # values without an order raise no error
        ("none + 1 > 0", False),
        ("len(n) == 1", False),
        ("word > 3", False),
        ("n == 4 or word == 'quel'", False),
        ("not yes", False),
    ],
)
def test_it_means_what_it_says(check, expected):
    assert is_true(check, VALUES) is expected


@pytest.mark.parametrize(
    "check",
    [
        "__import__('os').system('true')", "().__class__.__bases__[0]", "word.upper()", "some[0]",
        "n * 2", "n ** 9", "9 ** 9 ** 9", "'a' * 10", "[s for s in some]", "(lambda: 1)()", "n := 4",
        "open('x')", "len.__call__(word)", "f'{n}'", "n if yes else 0", "{1: 2}", "{1, 2}", "some[1:2]",
        "n is 3", "n is some", "print(n)", "max(n)", "len(word, key=1)", "len(*some)", "round(1, 2, 3)",
        "len()", "b'x' == b'x'", "1j == 1", "... is None", "yield n", "await n", "n; n", "n = 3", "", "(",
        "n == 3\n or True\n x", "_hidden", "__builtins__", "len == 1", "n << 2", "n // 2", "n % 2", "~n",
        "+n", "not_a(n)", "x.real", "n @ n", "a" * 500, "(" * 300 + ")" * 300, "\x00",
        " and ".join(["n"] * 200),
    ],
)  # fmt: skip
def test_nothing_else_can_be_said(check):
    with pytest.raises(ExpressionError):
        is_true(check, VALUES)


def test_a_name_that_the_page_does_not_offer_is_said():
    with pytest.raises(UnknownNameError, match="offers no value 'left'"):
        is_true("left < 10", VALUES)


def test_names_are_those_of_values_alone():
    assert names("len(word) == 4 and min(falls) < n and word != 'x'") == ("word", "falls", "n")
