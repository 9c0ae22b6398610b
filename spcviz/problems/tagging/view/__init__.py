"""What the Tagging page shows in the browser."""
