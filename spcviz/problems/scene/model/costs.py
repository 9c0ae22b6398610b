"""Costs of the pieces, as the result ``scene-costs`` measured them: the prices that SIM learns with."""

import json

from spcviz.engine.errors import ArgumentError
from spcviz.shared.folders import RESULTS, shipped_path

NAME = "scene-costs"


def load_costs():
    """The stored result's rows by piece; `ArgumentError` ends with the command that makes it."""
    path = shipped_path(RESULTS) / f"{NAME}.json"
    try:
        return {row["piece"]: row for row in json.loads(path.read_bytes())["rows"]}
    except (OSError, ValueError, LookupError, TypeError) as error:
        raise ArgumentError(f"{path} cannot be read; run: python -m spcviz reproduce {NAME}") from error
