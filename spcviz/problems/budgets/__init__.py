"""Code that every problem with purchasable features shares: batches, purchases, the Trade-off page."""
