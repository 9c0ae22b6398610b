"""SPC-pi: orders and features bought together."""
