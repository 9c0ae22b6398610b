"""Experiments on arms under a budget: the thesis' tables and figures, reproduced."""
