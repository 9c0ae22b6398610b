"""Data of Your data: files that visitors upload, read from bytes, and the examples."""
