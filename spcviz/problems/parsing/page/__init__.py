"""The page Parsing: live computations, cached calls, records that are drawn, texts."""
