"""Exact inference on plain arrays: numpy and numba only. Nothing here draws, caches results or prints."""
