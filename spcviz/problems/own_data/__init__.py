"""A visitor's own sequences: a file in, the lattice, the sweep and the budget out."""

from spcviz.problems.problem import Page, Problem

PROBLEM = Problem(
    name="own_data",
    title="Your data",
    pages=(
        Page("Start", "pages/start/data.py", "Your data", ":material/upload_file:", "Bring your own data"),
    ),
    warmup="spcviz.problems.own_data.page.live:warmup",
)
