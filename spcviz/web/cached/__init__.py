"""Caching of pages' calls: one shared cache, stored first scenes, visitors' values, scheduling of runs."""
