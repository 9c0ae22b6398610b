"""Handwritten words whose features are bought (thesis chapters 6 and 7; resource-constrained policies)."""

from spcviz.registry.problem import Page, Problem, Result, ShippedModel, Training

_MAKE, _SHOW = "experiments.words.reproduce:result", "spcviz.problems.words.paper.result:BUDGET"

PROBLEM = Problem(
    name="words",
    title="Budgets on words",
    pages=(
        Page("Budgets", "pages/budget/trade_off.py", "Trade-off", ":material/savings:", "Spend a budget"),
        Page("Budgets", "pages/budget/policy.py", "Policy", ":material/travel_explore:"),
    ),
    trains=(Training("budget", "experiments.words.reproduce:train"),),
    models=(
        ShippedModel("budget-ocr", "weights, policies and scores of the test words", ("ocr",)),
        ShippedModel("budget-open", "weights, policies and scores of the test words", ("open_words", "ocr")),
    ),
    results=(
        Result("dms-ocr", "Handwriting, choosing models (Fig. 6.1, 6.4)", _MAKE, _SHOW, folds=10),
        Result("policy-ocr", "Handwriting, DMS-π (Fig. 7.3)", _MAKE, _SHOW, folds=10),
        Result("constrained-ocr", "Handwriting, one-shot and anytime (Fig. 2, 3)", _MAKE, _SHOW, folds=10),
        Result("budget-ocr", "Handwriting, all budgets side by side", _MAKE, _SHOW, folds=10),
        Result("budget-ocr-open", "Open vocabulary, all budgets side by side", _MAKE, _SHOW, folds=3),
        Result(
            "steps-ocr",
            "Handwriting, steps bought apart from letters (7.12)",
            "experiments.words.steps:result",
            "spcviz.problems.words.paper.result:STEPS",
            folds=4,
        ),
        Result(
            "quiescence",
            "Messages that stop early, on long chains (Fig. 7.3)",
            "experiments.words.quiescence:result",
            "spcviz.problems.words.paper.result:QUIESCENCE",
            models=("budget-ocr", "tagging-ewt"),
        ),
    ),
    scenes=(
        "policy=spcviz.problems.words.page.scenes:policy",
        "trade_off=spcviz.problems.budgets.scenes:trade_off",
    ),
    warmup="spcviz.problems.words.page.live:warmup",
)
