"""Spaces: where words begin in a text that has lost its spaces."""

from spcviz.registry.problem import Page, Problem

PROBLEM = Problem(
    name="spaces",
    title="Spaces",
    pages=(Page("Learn", "pages/learn/spaces.py", "Spaces", ":material/space_bar:"),),
    scenes=("spaces=spcviz.problems.spaces.page.live:read",),
    warmup="spcviz.problems.spaces.page.live:warmup",
)
