"""The newcomer in `toy` can be imported only once it is among the problems: see test_newcomer.py."""

collect_ignore = ["toy"]
