"""Data of loopy grids: random fields drawn as the thesis draws them."""
