"""Results on poses: tables and charts, beside the thesis."""
