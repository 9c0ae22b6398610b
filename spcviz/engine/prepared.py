"""`spcviz.engine.chains.prepared` under the path it had before the engine had subpackages."""

from spcviz.engine.chains.prepared import Transitions

__all__ = ["Transitions"]
