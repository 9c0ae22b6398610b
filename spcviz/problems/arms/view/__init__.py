"""Views of arms: how the Trade-off page draws them."""
