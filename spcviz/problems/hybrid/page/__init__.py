"""The page Orders and features: live computations, cached calls, records that are drawn, texts."""
