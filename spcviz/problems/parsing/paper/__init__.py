"""Dependency trees beside the papers: reproductions and tables."""
