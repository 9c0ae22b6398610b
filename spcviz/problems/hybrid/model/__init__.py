"""Orders and features bought together: features, training, running and measuring; models to and from the store."""
