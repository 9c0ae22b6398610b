"""Long work in parts: run anywhere, kept for the next run, its cost in CPU seconds."""
