"""Handwritten words beside the papers: reproductions, tables and what is said of them."""
