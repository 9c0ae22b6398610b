"""What tagged sentences are made of: read, prepared, composed or rendered."""
