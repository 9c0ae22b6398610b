"""What words of an open vocabulary are made of: read, prepared, composed or rendered."""
