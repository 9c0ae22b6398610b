"""The page Tagging: live computations, cached calls, charts, texts."""
