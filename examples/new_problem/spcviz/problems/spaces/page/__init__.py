"""The page Spaces: what it computes, and its cached calls."""
