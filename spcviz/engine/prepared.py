"""`spcviz.engine.chains.prepared` by the path that it had before the engine got rooms."""

from spcviz.engine.chains.prepared import Transitions

__all__ = ["Transitions"]
