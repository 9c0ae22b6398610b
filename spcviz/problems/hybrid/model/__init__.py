"""Models of orders and features bought together: one fold, its baselines, times, the store."""
