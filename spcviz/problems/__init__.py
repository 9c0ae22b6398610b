"""The problems: one folder each, named in the list of `spcviz.registry`."""
