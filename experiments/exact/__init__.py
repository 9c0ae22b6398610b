"""Experiments on exact objectives: the theorems' cases, counted on handwriting."""
