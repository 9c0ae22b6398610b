"""Results on tagging: tables and charts, compared with the thesis."""
