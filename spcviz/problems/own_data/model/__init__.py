"""Models of Your data: training in child processes with limits, and their evaluation."""
