"""Data of loopy grids: random fields drawn as in the thesis."""
