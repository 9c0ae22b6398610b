"""Results on arms under a budget: tables, charts and evidence, beside the thesis."""
