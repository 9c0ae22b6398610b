"""What the training process can be asked for: a name, the function, and the record that it returns."""

from base64 import b64decode
from collections.abc import Callable
from typing import Any

from spcviz.problems.own_data.model.brought import read_with
from spcviz.problems.own_data.model.budget import Bought, spend
from spcviz.problems.own_data.model.settings import Settings
from spcviz.problems.own_data.model.training import train
from spcviz.problems.own_data.page.shown import Trained


def _train(wanted: dict[str, Any]) -> Trained:
    return train(Settings(**wanted["settings"]), wanted["sentences"], wanted["labels"], verbose=1)


def _spend(wanted: dict[str, Any]) -> Bought:
    return spend(Settings(**wanted["settings"]), wanted["sentences"], wanted["labels"])


def _read(wanted: dict[str, Any]) -> Trained:
    settings, data = Settings(**wanted["settings"]), b64decode(wanted["model"])
    about = {"seed": settings.seed, "tolerance": settings.tolerance}
    return read_with(data, wanted["sentences"], wanted["labels"], **about)


WORKS: dict[str, tuple[Callable[[dict[str, Any]], Any], type]] = {
    "train": (_train, Trained),
    "read": (_read, Trained),
    "budget": (_spend, Bought),
}
