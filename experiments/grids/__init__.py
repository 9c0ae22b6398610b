"""Experiments on loopy grids: ensembles of combs, reproduced, and threshold rules on them."""
