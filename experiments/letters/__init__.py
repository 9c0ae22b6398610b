"""Handwriting: the tables of the cascade, made again, and what its calls take."""
