"""How arms are drawn on the Trade-off page."""
