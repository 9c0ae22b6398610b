"""Data of Joint beats separate: stereo pairs, and noisy pictures with exact truth."""
