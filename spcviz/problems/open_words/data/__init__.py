"""Data of words of an open vocabulary: read, prepared, composed or rendered."""
