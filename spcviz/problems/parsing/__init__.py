"""Dependency parsing under a budget of features: which words deserve the expensive template."""

from spcviz.registry.problem import Page, Problem, Result, ShippedModel, Training

PROBLEM = Problem(
    name="parsing",
    title="Parsing under a budget",
    pages=(
        Page("Budgets", "pages/budget/parsing.py", "Parsing", ":material/account_tree:", "Parse a sentence"),
    ),
    data="spcviz.problems.parsing.data.gallery:DATA_SETS",
    trains=(Training("parsing", "experiments.parsing.reproduce:train"),),
    models=(ShippedModel("parsing", "weights and policies", ("text_ud_ewt",)),),
    results=(
        Result(
            "parsing",
            "Parsing, words and sentences bought for (Fig. 4)",
            "experiments.parsing.reproduce:reproduce_parsing",
            "spcviz.problems.parsing.paper.result:TABLE",
            folds=2,
        ),
    ),
    scenes=("parsing=spcviz.problems.parsing.page.scenes:parsing",),
    warmup="spcviz.problems.parsing.page.live:warmup",
)
