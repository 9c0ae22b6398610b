"""One word whose positions have orders of their own: a lattice that grows action by action."""
