"""See a structured predictor think under a budget; see `spcviz.engine` and `spcviz.learning`."""

__version__ = "0.2.0"
