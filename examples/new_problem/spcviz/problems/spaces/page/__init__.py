"""What is computed for the page, and its cached calls."""
