"""Experiments on poses: cascades, people never trained on, ensembles over time."""
