"""What orders and features bought together are made of: read, prepared, composed or rendered."""
