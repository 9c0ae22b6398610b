"""The page Your data: the visitor's shelf, cached calls, charts, tables, texts."""
