"""Graphs beyond chains: trees, grids and their combs, ensembles, loopy belief propagation, sampling."""
