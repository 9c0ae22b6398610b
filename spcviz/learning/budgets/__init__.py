"""Spending a budget of features: selectors, policies, and the one table of methods."""
