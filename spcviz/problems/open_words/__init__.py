"""Handwriting with an open vocabulary: words that no dictionary of the training words contains."""

from spcviz.registry.problem import Page, Problem, Result, ShippedModel, Training

PROBLEM = Problem(
    name="open_words",
    title="Open vocabulary",
    pages=(
        Page("The cascade", "pages/cascade/write.py", "Write", ":material/edit:", "Write a word of your own"),
    ),
    data="spcviz.problems.open_words.data.word_images:DATA_SETS",
    trains=(
        Training("open", "spcviz.problems.open_words.model.stored:train"),
        Training("open-lists", "spcviz.problems.open_words.model.lists:train"),
    ),
    models=(
        ShippedModel("open", "weights", ("open_words", "ocr")),
        ShippedModel("open-lists", "what the models of the handwriting read", ("open_words", "ocr")),
    ),
    results=(
        Result(
            "ocr-open",
            "Handwriting, an open vocabulary",
            "experiments.open_words.reproduce:reproduce",
            "spcviz.problems.open_words.result:OPEN",
            models=("open-fourier", "open-raw"),
        ),
        Result(
            "ocr-open-rules",
            "Open vocabulary, threshold rules",
            "experiments.open_words.rules:reproduce",
            "spcviz.problems.open_words.result:RULES",
            models=("open-fourier", "open-raw"),
        ),
    ),
    warmup="spcviz.problems.letters.model.cascade:warmup",
)
