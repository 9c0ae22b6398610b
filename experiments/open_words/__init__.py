"""Experiments on an open vocabulary: its tables, and threshold rules."""
