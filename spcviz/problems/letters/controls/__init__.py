"""Controls of the pages Letters, Sweep and Write, and cards of their addresses."""
