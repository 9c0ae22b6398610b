"""Controls of the page Your data: its choices, and one file for each group of views."""
