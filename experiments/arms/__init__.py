"""Arms under a budget: the papers' tables, made again."""
