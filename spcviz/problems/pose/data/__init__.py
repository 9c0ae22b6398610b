"""Data of poses: television frames, signing clips, single pictures, rendered bodies."""
