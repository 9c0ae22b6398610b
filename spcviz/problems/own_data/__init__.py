"""Your data: a visitor's own sequences, from a file to its lattice, thresholds and budget."""

from spcviz.registry.problem import Page, Problem, ShippedModel, Training

PROBLEM = Problem(
    name="own_data",
    title="Your data",
    pages=(
        Page("Start", "pages/start/data.py", "Your data", ":material/upload_file:", "Bring your own data"),
    ),
    trains=(Training("own-data", "spcviz.problems.own_data.model.stored:train"),),
    models=(ShippedModel("own_data", "weights, and scores of held-out labels", ("ewt_sentences",)),),
    warmup="spcviz.problems.own_data.page.live:warmup",
)
