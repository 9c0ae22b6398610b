"""Data of words under a budget: the handwritten words, and an open vocabulary."""
