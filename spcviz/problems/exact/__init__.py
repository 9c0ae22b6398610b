"""Exact inference on a handwritten word: search, dynamic programming, messages (lecture 12)."""

from spcviz.registry.problem import Page, Problem, Result

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
    results=(
        Result(
            "policy-theorems",
            "Bolukbasi's theorems, exactly",
            "experiments.exact.theorems:make",
            "spcviz.problems.exact.result:THEOREMS",
            folds=10,
        ),
    ),
    scenes=("exact_inference=spcviz.problems.exact.page.scenes:exact_inference",),
    warmup="spcviz.problems.exact.page.live:warmup",
    family="graphs",
)
