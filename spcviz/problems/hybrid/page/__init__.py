"""The page Orders and features: live computations, cached calls, records to draw, texts."""
