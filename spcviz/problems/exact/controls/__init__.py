"""What is chosen on the page of exact inference."""
