"""Orders and features bought together beside the papers: reproductions and tables."""
