"""Handwritten words, read by cascades of n-gram models (thesis 4.5.2)."""

from spcviz.registry.problem import Page, Problem, Result, ShippedModel, Training

_CASCADE = "The cascade"

PROBLEM = Problem(
    name="letters",
    title="Handwriting",
    pages=(
        Page(_CASCADE, "pages/cascade/letters.py", "Letters", ":material/draw:"),
        Page(_CASCADE, "pages/cascade/sweep.py", "Sweep", ":material/tune:"),
    ),
    data="spcviz.problems.letters.handwriting:DATA_SETS",
    trains=(Training("ocr", "spcviz.problems.letters.model.stored:train"),),
    models=(ShippedModel("ocr", "weights", ("ocr",)),),
    results=(
        Result(
            "ocr-orders",
            "Handwriting, orders 1 to 6 (Table 4.3)",
            "experiments.letters.reproduce:orders",
            "spcviz.problems.letters.paper.result:ORDERS",
            in_parts=True,
            models=("ocr-raw",),
            folds=10,
        ),
        Result(
            "ocr-sweep",
            "Handwriting, three filters (summary 5.2)",
            "experiments.letters.reproduce:sweep",
            "spcviz.problems.letters.paper.result:SWEEP",
            folds=1,
        ),
        Result(
            "ocr-rules",
            "Handwriting, threshold rules",
            "experiments.letters.rules:reproduce",
            "spcviz.problems.letters.paper.result:RULES",
            folds=10,
            in_parts=True,
        ),
    ),
    warmup="spcviz.problems.letters.model.cascade:warmup",
    answers="word=spcviz.problems.letters.controls.writing",
    scenes=tuple(
        f"{name}=spcviz.problems.letters.page.scenes:{name}" for name in ("home", "letters", "write", "sweep")
    ),
    cards=("", "letters", "write", "spcviz.problems.letters.controls.card"),
    opened=("letters?features=open&rule=margin",),
)
