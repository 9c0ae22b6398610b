"""Structured prediction cascades and their rivals: losses, the online learner, bounds."""
