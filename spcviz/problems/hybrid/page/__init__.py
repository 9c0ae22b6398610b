"""Pages about orders and features bought together: live computations, cached calls, charts, texts."""
