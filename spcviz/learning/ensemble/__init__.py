"""Ensembles of trees: joint learning and coarse-to-fine filtering."""
