"""Words under a budget beside the papers: reproductions and tables."""
