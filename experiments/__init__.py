"""What only a clone runs: studies over folds, and what their results come to beside the papers."""
