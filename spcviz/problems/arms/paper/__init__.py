"""Results on arms under a budget: tables, charts and evidence, compared with the thesis."""
