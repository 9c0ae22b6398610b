"""Training on a visitor's sentences in a process with limits, and measuring what it has learned."""
