"""Words whose positions have different n-gram orders: a lattice that grows action by action."""
