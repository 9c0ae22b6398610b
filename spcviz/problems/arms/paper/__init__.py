"""Arms under a budget beside the papers: reproductions, tables, and claims about the results."""
