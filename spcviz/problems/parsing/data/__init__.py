"""What dependency trees are made of: read, prepared, composed or rendered."""
