"""Words under a budget: features, training, running and measuring; models to and from the store."""
