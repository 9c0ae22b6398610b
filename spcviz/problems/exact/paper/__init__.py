"""Exact inference beside the papers: reproductions and tables."""
