"""The problems: one folder each, and this list, which everything else follows from.

Command line, catalogue of data, warm-up, side bar, links on the home page and the list of Paper tables are
read off the folders named here; see `spcviz.problems.problem` for what each of them says of itself.
"""

PROBLEMS = (
    "letters",
    "open_words",
    "tagging",
    "grids",
    "exact",
    "pictures",
    "pose",
    "words",
    "arms",
    "parsing",
    "hybrid",
    "scene",
    "own_data",
)
