"""Learning to predict, prune and spend: cascades, ensembles, budgeted policies; free of tasks and pages."""
