"""What the pages about exact inference show: computations, cached calls, charts, texts."""
