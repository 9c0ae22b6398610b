"""What handwritten words are made of: read, prepared, composed or rendered."""
