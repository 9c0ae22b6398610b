"""The evidence: what five documents say, and we found, with numbers, their spread and a verdict by rule.

A new row is a function in a file of this folder, below ``@ROWS.add(...)``: its sentence, the document's
numbers, the names of the results that it reads and the place in them (`evidence.Statement` explains each
field). The function takes an `evidence.Evidence`, whose ``ev["grid"]`` is a stored result, and returns an
`evidence.Found`: our numbers, their spread, and a part for each thing that the sentence names, made by a
function of `rules`. What the documents say goes into the file of its document, what we found into `own.py`.
Nothing else needs to know of it: `python -m spcviz report` writes the row, Paper tables shows it.
"""

from experiments.statements import budgets, ensembles, one_shot, own, scenes, spc

PAPERS = (*spc.ROWS, *ensembles.ROWS, *budgets.ROWS, *one_shot.ROWS, *scenes.ROWS)
"""Statements of the five documents, in the documents' order."""
OWN = tuple(own.ROWS)
"""What we found out ourselves."""
