"""What the pages about tagged sentences show: computations, cached calls, charts, texts."""
