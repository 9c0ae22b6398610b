"""The page Loopy grids: computations, cached calls, charts, texts."""
