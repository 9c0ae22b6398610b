"""A short article under each tool: texts as data."""
