"""Arms under a budget beside the papers: reproductions, tables and what is said of them."""
