"""Orders and features bought together, word by word: the thesis' last chapter, SPC-pi."""

from spcviz.problems.problem import Problem, Result, Training

PROBLEM = Problem(
    name="hybrid",
    title="Orders and features together",
    trains=(Training("hybrid", "spcviz.problems.hybrid.commands:train"),),
    results=(
        Result(
            "hybrid",
            "Handwriting, SPC-π (chapter 8)",
            "spcviz.problems.hybrid.commands:result",
            "spcviz.figures.hybrid.result:HYBRID",
            folds=10,
        ),
    ),
)
