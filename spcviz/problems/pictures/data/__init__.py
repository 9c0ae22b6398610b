"""What stereo pairs and noisy images are made of: read, prepared, composed or rendered."""
