"""Data of handwritten words: the shipped set, its dictionary, features of letter images."""
