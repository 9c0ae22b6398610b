"""Stereo pairs and noisy images: features, training, running and measuring; models to and from the store."""
