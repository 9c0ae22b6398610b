"""Models of arms under a budget: features, optical flow, training, measurements, the store."""
