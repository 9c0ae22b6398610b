"""Orders and features bought together: one fold trained, its parents, times, models stored."""
