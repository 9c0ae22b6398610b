"""What the pages about loopy grids show: computations, cached calls, charts, texts."""
