"""Results on poses: tables and charts, compared with the thesis."""
