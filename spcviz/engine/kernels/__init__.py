"""Compilation of loops: flags, the cache on disk, semirings, rows of vectors."""
