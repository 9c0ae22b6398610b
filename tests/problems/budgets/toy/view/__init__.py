"""How colours are drawn on the Trade-off page."""
