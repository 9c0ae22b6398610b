"""Street scenes beside the papers: reproductions and tables."""
