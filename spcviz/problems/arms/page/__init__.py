"""Pages about arms under a budget: live computations, cached calls, records that are drawn, texts."""
