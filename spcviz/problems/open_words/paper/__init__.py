"""Words of an open vocabulary beside the papers: reproductions and tables."""
