"""What the page about a visitor's own data shows: computations, cached calls, charts, texts."""
