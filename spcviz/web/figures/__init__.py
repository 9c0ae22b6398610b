"""Charts, tables and numbers that all problems share: plotly and plain data, no page."""
