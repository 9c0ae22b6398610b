"""Pages about arms under a budget: live computations, cached calls, records to draw, texts."""
