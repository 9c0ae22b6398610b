"""Results on exact objectives: how Paper tables shows them."""
