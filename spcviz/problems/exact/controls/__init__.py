"""Controls of the page Exact inference."""
