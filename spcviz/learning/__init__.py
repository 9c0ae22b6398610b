"""Learning to predict, to prune and to spend: cascades, ensembles, budgeted policies; no task, no page."""
