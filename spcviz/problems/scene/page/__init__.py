"""The page Scenes at any time: live computations, cached calls, records that are drawn, texts."""
