"""Models of Joint beats separate: stereo matching, and belief propagation on pictures."""
