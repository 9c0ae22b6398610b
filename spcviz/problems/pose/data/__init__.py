"""What poses are made of: read, prepared, composed or rendered."""
