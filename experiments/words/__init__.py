"""Experiments on handwriting under a budget: DMS, DMS-pi and quiescent inference over folds."""
