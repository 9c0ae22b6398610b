"""The page Policy, and words on Trade-off: live computations, cached calls, texts."""
