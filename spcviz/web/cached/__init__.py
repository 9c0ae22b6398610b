"""Cached calls that all pages share, and what warm-up does with them."""
