"""Results on handwritten words: tables and charts, compared with the papers."""
