"""Data of loopy grids: read, prepared, composed or rendered."""
