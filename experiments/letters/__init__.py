"""Experiments on handwriting cascades: tables and curves, threshold rules, times."""
