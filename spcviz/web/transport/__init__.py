"""HTTP below every page: compressed answers, static files, clients with their rate limits, signed tokens."""
