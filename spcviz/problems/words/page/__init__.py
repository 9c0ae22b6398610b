"""What the pages about words under a budget show: live computations, cached calls, charts, texts."""
