"""Handwriting under a budget: DMS-pi and quiescent inference over folds."""
