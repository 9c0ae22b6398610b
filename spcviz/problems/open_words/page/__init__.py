"""What the pages about words of an open vocabulary show: computations, cached calls, charts, texts."""
