"""Dependency trees: maximum spanning arborescences and projective trees."""
