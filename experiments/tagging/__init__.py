"""Experiments on tagging: six methods compared, filters at equal loss, threshold rules."""
