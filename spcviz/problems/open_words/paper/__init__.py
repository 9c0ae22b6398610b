"""Results on an open vocabulary: tables and charts."""
