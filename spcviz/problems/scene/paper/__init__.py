"""Street scenes beside the papers: reproductions, tables, and claims about the results."""
