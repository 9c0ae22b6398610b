"""The pages Home, Letters, Write and Sweep: computations, cached calls, charts, texts."""
