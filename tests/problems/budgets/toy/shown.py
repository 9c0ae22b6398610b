"""Labels and records of the toy problem: chains of colours under a budget."""

from spcviz.learning.budgets.methods import Terms, Tier

TERMS = Terms("chain", "chains", "dot", "dots", free="a look through fog")
TIERS = (Tier("fog", "through fog", "fog"), Tier("clear", "+ a clear look", "clear"))
OFFERED = ("fixed", "least_sure", "uniform_arms")
"""Methods, by key of `METHODS`; the first lifts whole chains."""
COLOURS = ("#0072B2", "#E69F00", "#009E73", "#CC79A7")
"""Colours of the states."""
