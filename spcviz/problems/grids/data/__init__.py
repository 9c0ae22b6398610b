"""What loopy grids are made of: read, prepared, composed or rendered."""
