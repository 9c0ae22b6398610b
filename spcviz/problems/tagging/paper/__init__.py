"""Tagged sentences beside the papers: reproductions, tables and claims."""
