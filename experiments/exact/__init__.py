"""Experiments on exact objectives: the cases of the theorems, counted on handwriting."""
