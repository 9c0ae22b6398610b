"""Exact inference beside the papers: reproductions, tables and claims."""
