"""Robustness checks, case by case: the test suite's checks in any number, for ``bench robust``.

Each check is a function of a seed that raises if something is wrong; they are the very functions that the
test files call a few times. ``python -m tests.robust NAME SEED CASES`` runs one of them in a process of its
own, so that a crash or an endless loop is a fault of that check and not the end of all.
"""
