"""Whether a threshold is worth it for the scores of a model: the rule, its sentences, its measurements."""
