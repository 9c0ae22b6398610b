"""The document experiments/margin.md on threshold rules, with its tables and figures, from stored results."""
