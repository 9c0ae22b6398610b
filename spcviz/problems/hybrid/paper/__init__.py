"""Results on orders and features bought together: tables and charts."""
