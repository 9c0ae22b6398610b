"""Results on words under a budget: tables, charts and evidence."""
