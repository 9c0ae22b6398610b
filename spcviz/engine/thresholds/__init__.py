"""The threshold of a cascade, and what it keeps and loses."""
