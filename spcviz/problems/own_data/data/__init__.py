"""What a visitor brings, read from bytes, and the examples that are there."""
