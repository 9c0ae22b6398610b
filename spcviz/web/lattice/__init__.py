"""The lattice one can drag: letters, tags and n-grams under a threshold."""
