"""Models of exact inference: words that cross, and n-gram models merged to chains."""
