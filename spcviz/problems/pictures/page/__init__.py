"""The page Joint beats separate: computations, cached calls, charts, texts."""
