"""Confined child processes for visitors' uploads: limits first, one protocol for all tasks."""
