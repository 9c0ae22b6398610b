"""Robustness checks, case by case: the test suite's checks with any number of cases, for ``bench robust``.

Each check is a function of a seed that raises if something is wrong; the test files call
the same functions a few times. ``python -m tests.robust NAME SEED CASES`` runs one of them in a separate
process, so that a crash or an endless loop is a fault of that check and does not end the others.
"""
