"""The page Exact inference: computations, cached calls, charts, texts."""
