"""Loopy grids beside the papers: reproductions and tables."""
