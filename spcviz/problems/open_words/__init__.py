"""Handwriting with an open vocabulary: words that no dictionary of the training words holds."""

from spcviz.problems.problem import Model, Page, Problem, Result, Training

PROBLEM = Problem(
    name="open_words",
    title="Open vocabulary",
    pages=(
        Page("The cascade", "pages/cascade/write.py", "Write", ":material/edit:", "Write a word of your own"),
    ),
    data="spcviz.problems.open_words.data:DATA_SETS",
    trains=(
        Training("open", "spcviz.problems.open_words.commands:train"),
        Training("open-lists", "spcviz.problems.open_words.lists:train"),
    ),
    models=(
        Model("open", "weights", ("open_words", "ocr")),
        Model("open-lists", "what the models of the handwriting read", ("open_words", "ocr")),
    ),
    results=(
        Result(
            "ocr-open",
            "Handwriting, an open vocabulary",
            "spcviz.problems.open_words.commands:result",
            "spcviz.figures.open_words.result:OPEN",
            models=("open-fourier", "open-raw"),
        ),
    ),
    warmup="spcviz.problems.letters.cascade:warmup",
)
