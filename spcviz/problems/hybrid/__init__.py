"""SPC-pi (the thesis' last chapter): orders and features bought together, word by word."""

from spcviz.registry.problem import Page, Problem, Result, ShippedModel, Training

PROBLEM = Problem(
    name="hybrid",
    title="Orders and features together",
    pages=(
        Page(
            "Budgets",
            "pages/budget/hybrid.py",
            "Orders and features",
            ":material/hub:",
            "Context or a closer look",
        ),
    ),
    trains=(Training("hybrid", "spcviz.problems.hybrid.model.stored:train"),),
    models=(ShippedModel("hybrid", "weights and policies", ("ocr", "open_words")),),
    results=(
        Result(
            "hybrid",
            "Handwriting, SPC-π (chapter 8)",
            "experiments.hybrid.reproduce:reproduce",
            "spcviz.problems.hybrid.result:HYBRID",
            folds=10,
        ),
    ),
    scenes=("hybrid=spcviz.problems.hybrid.page.scenes:hybrid",),
    warmup="spcviz.problems.hybrid.page.live:warmup",
    family="graphs",
)
