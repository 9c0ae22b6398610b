"""Loopy grids beside the papers: reproductions, tables and claims."""
