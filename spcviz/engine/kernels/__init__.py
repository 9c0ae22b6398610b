"""How loops compile: flags, the cache on disk, semirings, rows of vectors."""
