"""The lattice view, shared by several problems: letters, tags and n-grams under a threshold."""
