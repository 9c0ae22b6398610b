"""Exact objectives: the theorems' cases, counted on handwriting."""
