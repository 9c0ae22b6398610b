"""Decide whether a threshold pays for a model's scores: the rule, its sentences, its measurements."""
