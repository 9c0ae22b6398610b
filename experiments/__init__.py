"""Experiments that need a clone: studies over folds, one folder per problem, and statements on their results.

They are part of a clone of the repository, not of the installed package. A problem names its studies in its
results (`spcviz.registry.problem.Result`); the code that shows their output on a page belongs to the problem.
`experiments.statements` compares what documents say with the results here; `experiments.report` writes it.
"""
