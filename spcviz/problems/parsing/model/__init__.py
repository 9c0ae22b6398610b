"""Models of dependency parsing: features, the parser, policies, the store."""
