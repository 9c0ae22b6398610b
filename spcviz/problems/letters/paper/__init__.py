"""Handwritten words beside the papers: reproductions and tables."""
