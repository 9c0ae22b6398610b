"""What the training process can be asked for: a name, the function, and the record that it returns."""

from collections.abc import Callable
from typing import Any

from spcviz.problems.own_data.model.settings import Settings
from spcviz.problems.own_data.model.training import train
from spcviz.problems.own_data.page.shown import Trained


def _train(wanted: dict[str, Any]) -> Trained:
    return train(Settings(**wanted["settings"]), wanted["sentences"], wanted["labels"], verbose=1)


WORKS: dict[str, tuple[Callable[[dict[str, Any]], Any], type]] = {"train": (_train, Trained)}
