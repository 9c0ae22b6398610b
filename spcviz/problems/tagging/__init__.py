"""Part-of-speech tagging: cascades over tags (thesis 4.5.1)."""

from spcviz.problems.problem import Model, Page, Problem, Result, Training

PROBLEM = Problem(
    name="tagging",
    title="Tagging",
    pages=(Page("The cascade", "pages/cascade/tagging.py", "Tagging", ":material/sell:", "Tag a sentence"),),
    data="spcviz.problems.tagging.data:DATA_SETS",
    trains=(Training("tagging", "spcviz.problems.tagging.commands:train"),),
    models=(Model("tagging", "weights", ("text_ud_ewt",)),),
    results=(
        Result(
            "tagging",
            "Tagging, six methods (Table 4.2)",
            "spcviz.problems.tagging.commands:table",
            "spcviz.figures.tagging.result:TABLE",
            in_parts=True,
            folds=4,
        ),
    ),
    warmup="spcviz.problems.tagging.live:warmup",
)
