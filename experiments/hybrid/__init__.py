"""Orders and features together: every method against its microseconds."""
