"""Results on loopy grids: how Paper tables shows them."""
