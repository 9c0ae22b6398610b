"""Parsing: the tables of dependency parsing under a budget."""
