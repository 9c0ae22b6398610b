"""Tagged sentences beside the papers: reproductions and tables."""
