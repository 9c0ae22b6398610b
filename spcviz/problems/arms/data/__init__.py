"""What arms under a budget are made of: read, prepared, composed or rendered."""
