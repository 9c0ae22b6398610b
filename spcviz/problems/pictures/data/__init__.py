"""Data of stereo pairs and noisy images: read, prepared, composed or rendered."""
