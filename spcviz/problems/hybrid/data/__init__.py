"""Data of orders and features bought together: handwritten words, and an open vocabulary."""
