"""Models of an open vocabulary: letters, cascades from a prior, a dictionary, the store."""
