"""Handwritten words beside the papers: reproductions, tables and claims."""
