"""The word on the home page."""
