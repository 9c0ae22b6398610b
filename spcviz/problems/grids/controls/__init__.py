"""Controls of the page Loopy grids."""
