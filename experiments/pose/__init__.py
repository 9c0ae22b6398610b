"""Poses: the tables of clips, of strangers and of ensembles."""
