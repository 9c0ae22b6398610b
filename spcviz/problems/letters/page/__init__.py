"""What the pages about handwritten words show: computations, cached calls, charts, texts."""
