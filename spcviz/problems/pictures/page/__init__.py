"""What the pages about stereo pairs and noisy images show: computations, cached calls, charts, texts."""
