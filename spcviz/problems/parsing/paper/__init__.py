"""Results on parsing under a budget: tables, charts and evidence."""
