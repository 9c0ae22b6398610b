"""View of the toy problem: the Trade-off page draws colours."""
