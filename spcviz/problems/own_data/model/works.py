"""What the training process can be asked for: a name, the function, and the record that it returns."""

from collections.abc import Callable
from typing import Any

from spcviz.problems.own_data.model.budget import spend
from spcviz.problems.own_data.model.settings import Settings
from spcviz.problems.own_data.model.training import train
from spcviz.problems.own_data.page.shown import Bought, Trained


def _train(wanted: dict[str, Any]) -> Trained:
    return train(Settings(**wanted["settings"]), wanted["sentences"], wanted["labels"], verbose=1)


def _spend(wanted: dict[str, Any]) -> Bought:
    return spend(Settings(**wanted["settings"]), wanted["sentences"], wanted["labels"])


WORKS: dict[str, tuple[Callable[[dict[str, Any]], Any], type]] = {
    "train": (_train, Trained),
    "budget": (_spend, Bought),
}
