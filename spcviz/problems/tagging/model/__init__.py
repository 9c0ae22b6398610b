"""Models of tagging: features, cascades and their rivals, settings, the store."""
