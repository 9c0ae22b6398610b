"""Data of tagged sentences: read, prepared, composed or rendered."""
