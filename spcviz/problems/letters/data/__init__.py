"""Data of handwritten words: read, prepared, composed or rendered."""
