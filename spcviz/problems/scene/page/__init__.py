"""What the pages about street scenes show: live computations, cached calls, charts, texts."""
