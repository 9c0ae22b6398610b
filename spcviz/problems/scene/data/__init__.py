"""What street scenes are made of: read, prepared, composed or rendered."""
