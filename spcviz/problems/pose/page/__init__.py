"""What the pages about poses show: live computations, cached calls, charts, texts."""
