"""Articles: a short text under each page, read from data."""
