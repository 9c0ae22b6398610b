"""Models of poses: part detectors, the cascade, the person detector, the store."""
