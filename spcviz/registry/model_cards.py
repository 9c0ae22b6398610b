"""Model cards: what each stored model is, its training data, how it was made, its measurements.

All of it is read from the manifests and from the problems' declarations; `report` writes it to
``docs/models.md``.
"""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from spcviz import registry
from spcviz.registry.licences import NOT_SAID
from spcviz.store import list_models, repair_command

FILE = "models.md"
SAID_ABOVE = ("data_origin", "attribution", "licence")
MOST_NUMBERS = 6
"""Longest list that a card shows; longer ones are tables in the manifest."""
_HEAD = """# The stored models

Written by `python -m spcviz report` from the manifests in `cache/models`; do not edit. What was measured is
what training wrote down beside the model, in the model's own words; how good a method is, over folds and
with spreads, stands in `cache/results/README.md`; what may be done with one, in LICENSES.md too."""


def text(folder: Path) -> str:
    """Markdown with a card for each readable model of a folder."""
    names = [status.name for status in list_models(folder) if not status.problem]
    return (
        "\n\n".join([_HEAD, *(card(json.loads((folder / f"{n}.json").read_bytes())) for n in names)]) + "\n"
    )


def card(manifest: dict[str, Any]) -> str:
    """The card of one model.

    >>> print(card({"name": "ocr-x", "kind": "k", "version": 1, "random_state": 7, "data_digest": "ab" * 20,
    ...     "npz": {"bytes": 2_500_000}, "sha256": "cd" * 32, "settings": {"width": 3}, "metrics": {}}))
    ## `ocr-x`
    <BLANKLINE>
    | | |
    |---|---|
    | kind | k, version 1, 2.5 MB |
    | made by | `python -m spcviz train ocr` (random state 7) |
    | shown on | Letters, Sweep |
    | digest | cdcdcdcdcdcd |
    | data's digest | abababababab |
    | settings | width 3 |
    """
    name, licence, size = manifest["name"], manifest.get("licence") or {}, manifest["npz"]["bytes"]
    rows = [
        ("holds", licence.get("holds", "")),
        ("kind", f"{manifest['kind']}, version {manifest['version']}, {size / 1e6:.1f} MB"),
        ("learned from", _sources(licence.get("data", {}))),
        ("what may be done with it", licence.get("weights", NOT_SAID) if licence else ""),
        ("made by", f"`{repair_command(name)}` (random state {manifest['random_state']})"),
        ("shown on", ", ".join(_pages(name))),
        ("digest", manifest["sha256"][:12]),
        ("data's digest", manifest["data_digest"][:12]),
        ("settings", "; ".join(_describe(_without(manifest["settings"], *SAID_ABOVE)))),
        ("measured", "; ".join(_describe(manifest["metrics"]))),
    ]
    table = [f"| {what} | {_cell(said)} |" for what, said in rows if said]
    return "\n".join([f"## `{name}`", "", "| | |", "|---|---|", *table])


def _without(settings: Any, *names: str) -> Any:
    return {k: v for k, v in settings.items() if k not in names} if isinstance(settings, dict) else settings


def _cell(said: str) -> str:
    return said.replace("|", "\\|").replace("\n", " ")


def _sources(data: dict[str, Any]) -> str:
    return "; ".join(f"{key}: {about['origin']} ({about['licence']})" for key, about in data.items())


def _pages(name: str) -> list[str]:
    """Titles of the pages of the problems that make a model of this name."""
    training = repair_command(name).split()[-1]
    makers = [one for one in registry.problems() if training in {row.name for row in one.trains}]
    return list(dict.fromkeys(page.title for problem in makers for page in problem.pages))


def _describe(value: Any, name: str = "") -> Iterator[str]:
    """Each number or word of nested settings with its name; tables and empty values are left out."""
    if isinstance(value, dict):
        for key, item in value.items():
            yield from _describe(item, f"{name}.{key}" if name else str(key))
    elif isinstance(value, list):
        if 0 < len(value) <= MOST_NUMBERS and all(_is_plain(item) for item in value):
            yield f"{name} {' / '.join(map(_short, value))}"
    elif _is_plain(value):
        yield f"{name} {_short(value)}"


def _is_plain(value: Any) -> bool:
    return value is not None and value != "" and not isinstance(value, list | dict)


def _short(value: Any) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    return f"{value:.4g}" if isinstance(value, float) else str(value)
