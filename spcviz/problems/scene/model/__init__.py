"""Models of street scenes: segments, features, anytime predictors, the store."""
