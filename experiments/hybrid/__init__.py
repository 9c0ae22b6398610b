"""Experiments on orders and features bought together: every method against its microseconds."""
