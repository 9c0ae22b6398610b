"""Loopy grids: ensembles of combs against belief propagation (thesis 5.5.1)."""

from spcviz.problems.problem import Page, Problem, Result

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
            "spcviz.problems.grids.tables:make",
            "spcviz.figures.grids.result:GRID",
            folds=100,
        ),
    ),
    warmup="spcviz.problems.grids.live:warmup",
    family="graphs",
)
