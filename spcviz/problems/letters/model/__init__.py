"""Models of handwritten words: cascades, threshold rules, bounds, the store."""
