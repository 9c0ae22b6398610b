"""Experiments on dependency parsing under a budget: accuracy and time of every policy."""
