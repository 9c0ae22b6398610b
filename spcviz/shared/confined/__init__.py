"""Processes for what visitors bring: limits given up first, one way in and out, whatever is opened there."""
