"""Estimators that tools pickle for their own ends: by one version, to be read by the same."""

import warnings
from importlib import import_module
from typing import Any

from sklearn.base import BaseEstimator

_KEY = "_spcviz_version"


def _version() -> str:
    return str(import_module("spcviz").__version__)


class Versioned(BaseEstimator):
    """An estimator of which a pickle says the version that wrote it; reading it in another one warns.

    Caches, and clusters of one version, pickle rightly. What lies between versions is for `spcviz.save`:
    there every array is compared with the others, and earlier forms are known.
    """

    def __getstate__(self) -> dict[str, Any]:
        return dict(super().__getstate__()) | {_KEY: _version()}

    def __setstate__(self, state: dict[str, Any]) -> None:
        state = dict(state)
        written = state.pop(_KEY, "an earlier version")
        if written != _version():
            warnings.warn(
                f"this {type(self).__name__} was pickled by spcviz {written}, and this is {_version()}: it "
                "may read otherwise or not at all; write models with spcviz.save, which later versions read",
                stacklevel=2,
            )
        super().__setstate__(state)
