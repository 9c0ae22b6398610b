"""Part-of-speech tagging: cascades over tags (thesis 4.5.1)."""

from spcviz.registry.problem import Page, Problem, Result, ShippedModel, Training

PROBLEM = Problem(
    name="tagging",
    title="Tagging",
    pages=(Page("The cascade", "pages/cascade/tagging.py", "Tagging", ":material/sell:", "Tag a sentence"),),
    data="spcviz.problems.tagging.data.corpora:DATA_SETS",
    trains=(Training("tagging", "spcviz.problems.tagging.model.stored:train"),),
    models=(ShippedModel("tagging", "weights", ("text_ud_ewt",)),),
    results=(
        Result(
            "tagging",
            "Tagging, six methods (Table 4.2)",
            "experiments.tagging.reproduce:table",
            "spcviz.problems.tagging.paper.result:TABLE",
            in_parts=True,
            folds=5,
        ),
        Result(
            "tagging-whole",
            "Tagging, six methods on all of EWT (Table 4.2)",
            "experiments.tagging.reproduce:whole",
            "spcviz.problems.tagging.paper.result:TABLE",
            folds=1,
        ),
        Result(
            "tagging-rules",
            "Tagging, threshold rules",
            "experiments.tagging.rules:reproduce",
            "spcviz.problems.tagging.paper.result:RULES",
            models=("tagging-ewt",),
        ),
    ),
    scenes=("tagging=spcviz.problems.tagging.page.scenes:tagging",),
    warmup="spcviz.problems.tagging.page.live:warmup",
)
