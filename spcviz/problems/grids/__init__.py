"""Loopy grids: ensembles of combs against belief propagation (thesis 5.5.1)."""

from spcviz.registry.problem import Page, Problem, Result

PROBLEM = Problem(
    name="grids",
    title="Loopy grids",
    pages=(
        Page("The cascade", "pages/cascade/loopy.py", "Loopy grids", ":material/grid_on:", "Prune a grid"),
    ),
    results=(
        Result(
            "grid",
            "Loopy grids (Fig. 5.3)",
            "experiments.grids.reproduce:make",
            "spcviz.problems.grids.result:GRID",
            folds=100,
        ),
        Result(
            "grid-rules",
            "Loopy grids, threshold rules",
            "experiments.grids.rules:reproduce",
            "spcviz.problems.grids.result:RULES",
        ),
    ),
    scenes=("random_grid=spcviz.problems.grids.fields:random_grid",),
    warmup="spcviz.problems.grids.page.live:warmup",
    family="graphs",
)
