"""Models of words under a budget: folds, selectors, policies, times, the store."""
