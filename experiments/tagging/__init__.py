"""Tagging: six methods beside each other, at equal loss."""
