"""Confined child processes for whatever visitors upload: limits first, one protocol for all tasks."""
