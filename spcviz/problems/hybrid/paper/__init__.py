"""Orders and features bought together beside the papers: reproductions, tables, and claims."""
