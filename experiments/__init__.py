"""Experiments that need a clone: studies over folds, one folder a problem, and statements on their results.

They lie in a clone of the repository and not in the package that is installed. A problem names its studies
in its results (`spcviz.registry.problem.Result`); what a page shows of what they write lies with the problem.
What documents say, and what it comes to here, is `experiments.statements`; `experiments.report` writes it.
"""
