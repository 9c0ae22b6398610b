"""Exact inference on a handwritten word: search, dynamic programming, messages (lecture 12)."""

from spcviz.problems.problem import Page, Problem

PROBLEM = Problem(
    name="exact",
    title="Exact inference",
    pages=(
        Page(
            "Learn",
            "pages/learn/exact_inference.py",
            "Exact inference",
            ":material/route:",
            "Learn exact inference",
        ),
    ),
    warmup="spcviz.problems.exact.crossword:warmup",
)
