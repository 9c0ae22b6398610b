"""Results on tagging: tables and charts, beside the thesis."""
