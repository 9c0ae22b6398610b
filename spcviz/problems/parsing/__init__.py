"""Dependency parsing under a budget of features: which words deserve the expensive template."""

from spcviz.problems.problem import Model, Page, Problem, Result, Training

PROBLEM = Problem(
    name="parsing",
    title="Parsing under a budget",
    pages=(
        Page("Budgets", "pages/budget/parsing.py", "Parsing", ":material/account_tree:", "Parse a sentence"),
    ),
    data="spcviz.problems.parsing.gallery:DATA_SETS",
    trains=(Training("parsing", "spcviz.problems.parsing.commands:train"),),
    models=(Model("parsing", "weights and policies", ("text_ud_ewt",)),),
    results=(
        Result(
            "parsing",
            "Parsing, words and sentences bought for (Fig. 4)",
            "spcviz.problems.parsing.commands:table",
            "spcviz.figures.parsing.result:TABLE",
            folds=2,
        ),
    ),
    warmup="spcviz.problems.parsing.live:warmup",
)
