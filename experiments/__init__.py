"""What only ``python -m spcviz reproduce NAME`` runs: studies over folds, a folder a problem.

They lie in a clone of the repository and not in the package that is installed. A problem names them in its
results (`spcviz.registry.problem.Result`); what a page shows of what they write lies with the problem.
"""
