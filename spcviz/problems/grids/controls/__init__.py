"""What is chosen on the page of grids."""
