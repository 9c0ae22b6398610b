"""What the pages about arms under a budget show: live computations, cached calls, charts, texts."""
