"""Results on handwritten words: tables and charts, beside the papers."""
