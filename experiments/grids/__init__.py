"""Loopy grids: the tables of the ensembles, made again."""
