"""What the Trade-off page shows of colours."""
