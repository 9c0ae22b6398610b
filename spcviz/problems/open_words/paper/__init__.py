"""Words of an open vocabulary beside the papers: reproductions, tables and claims."""
