"""Get data sets that do not ship: `get` downloads an original, `prepare` converts it for the loaders."""
