"""Statements of five documents against our results, each with numbers, spread and a verdict by rule.

Rows are data. A row is a table in a ``.toml`` file of this folder: its sentence, the document's numbers, the
names of the results that it reads, the numbers that it takes from them, the parts that its sentence names and
the rule that judges each (`language` explains every field). A new kind of comparison is a function in
`kinds`; the rules are in `rules`. Statements of a document go into that document's file, our own findings
into ``own.toml``. Nothing else needs to change: `python -m spcviz report` writes the row, and Paper tables
shows it.
"""

from pathlib import Path

from experiments.statements.language import load

_FOLDER = Path(__file__).parent
PAPERS = tuple(
    row
    for name in ("spc", "ensembles", "budgets", "one_shot", "scenes")
    for row in load(_FOLDER / f"{name}.toml")
)
"""Statements of the five documents, in the documents' order."""
OWN = load(_FOLDER / "own.toml")
"""Our own findings."""
