"""Poses beside the papers: reproductions and tables."""
