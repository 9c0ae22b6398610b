"""Bring data that does not ship: `get` an original, then `prepare` it for the loaders, completely or not at
all.
"""
