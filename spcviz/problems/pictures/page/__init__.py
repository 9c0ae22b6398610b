"""What the pages about stereo pairs and noisy images show: computed live, cached, drawn, said."""
