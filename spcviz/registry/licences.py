"""Licences of the stored models: what their training data require and allow.

The code is under the MIT licence. A stored model is not if its data require more: each problem declares what
its models learned from (`spcviz.registry.problem.Model`), each data set what that requires of them
(`DataSet.weights`), and the strictest of a model's data sets counts. `train` writes it into the manifests,
`report` writes `text` to ``cache/models/LICENSES.md``, and the app shows `summary`.
"""

import json
from collections.abc import Iterable, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any

from spcviz import registry
from spcviz.store import list_models, repair_command, set_licence

WEIGHTS = {
    "free": "MIT, like the code",
    "attribution": "CC BY 4.0: name the makers of the data",
    "share-alike": "CC BY-SA 4.0: name the makers of the data and pass on under the same licence",
    "research": "personal and research use only, nothing commercial",
}
"""What may be done with a model, from the freest to the strictest."""
NOT_SAID = "licence not said"
FILE = "LICENSES.md"
_HEAD = """# Licences of the stored models

Written by `python -m spcviz report` from the manifests in this folder; do not edit.
The code of this project is under the MIT licence. The files in this folder are not code: what may be done
with one follows from the data that it, or a model which it was made with, learned from. The strictest of
its data sets counts. None of these files is part of the package that pip installs."""
_FOOT = """Other files that come with the repository: `cache/data/ocr_letters.npz` ({ocr}),
`cache/data/open_words.npz` ({open_words}), `cache/data/signs` ({pose_signs}), `cache/data/roads`
({roads}) and `cache/data/ewt` ({ewt_sentences}); the last three have an `ATTRIBUTION.txt`.
`cache/first_scenes` holds what pages and tours open with, made with these models: each file is under the
terms of its problem's models above, `first_scenes-pose-*` holds frames of a signing clip too, and
`first_scenes-scene-*` a photograph of a road.
`cache/pictures/letters.png` shows the app with one of the handwritten words. `cache/results` holds numbers
that this project measured."""


def of(name: str) -> dict[str, Any]:
    """The entry ``licence`` of a model's manifest; empty for a model that no problem knows.

    >>> of("ocr-hog")["weights"]
    'MIT, like the code'
    >>> of("scene-camvid")["weights"]
    'personal and research use only, nothing commercial'
    >>> of("unknown")
    {}
    """
    rows = [row for row in registry.models() if name == row.name or name.startswith(f"{row.name}-")]
    if not rows:
        return {}
    row = max(rows, key=lambda row: len(row.name))
    known = {entry.name: entry for entry in registry.data_sets()}
    sets = [known[data_set] for data_set in row.data]
    order = list(WEIGHTS)
    return {
        "holds": row.what,
        "data": {entry.name: {"origin": entry.origin, "licence": entry.licence} for entry in sets},
        "weights": WEIGHTS[order[max(order.index(entry.weights) for entry in sets)]],
    }


def stamp(folder: Path) -> list[str]:
    """Write each model's licence into its manifest; returns the names of those that did not have it yet."""
    names = [status.name for status in list_models(folder) if not status.problem]
    return [name for name in names if (licence := of(name)) and set_licence(folder, name, licence)]


def read_licences(folder: Path) -> dict[str, dict[str, Any]]:
    """{name: ``licence`` of its manifest} for a folder's models; empty where the manifest has none."""
    return {
        status.name: json.loads((folder / f"{status.name}.json").read_bytes()).get("licence", {})
        for status in list_models(folder)
        if not status.problem
    }


def text(folder: Path) -> str:
    """Markdown with a row for each model of a folder, the strictest first, and one for each data set."""
    by_model, order = read_licences(folder), list(WEIGHTS.values())
    data: dict[str, dict[str, str]] = {}
    rows = []
    for name in sorted(by_model, key=lambda name: (-_rank(by_model[name], order), name)):
        licence = by_model[name]
        data |= (sets := licence.get("data", {}))
        terms = licence.get("weights", f"{NOT_SAID}; make it anew: {repair_command(name)}")
        licences = "; ".join(f"{key}: {about['licence']}" for key, about in sets.items())
        rows.append((f"`{name}`", licence.get("holds", "–"), ", ".join(sets), licences, f"**{terms}**"))
    models = _table(
        ("model", "holds", "learned from", "licence of the data", "what may be done with it"), rows
    )
    origins = [(name, about["origin"]) for name, about in data.items()]
    shipped = {entry.name: entry.licence for entry in registry.data_sets() if entry.shipped}
    return "\n\n".join([_HEAD, models, _table(("data", "from"), origins), _FOOT.format(**shipped)]) + "\n"


def _table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    return "\n".join(f"| {' | '.join(cells)} |" for cells in (head, ["---"] * len(head), *rows))


def _rank(licence: dict[str, Any], order: list[str]) -> int:
    """How strict a licence is; a model without one ranks highest."""
    return order.index(licence["weights"]) if licence.get("weights") in order else len(order)


@lru_cache(maxsize=4)
def summary(folder: Path) -> str:
    """The permitted uses of the models in a folder, as Markdown: a line for each kind of terms."""
    by_model, order = read_licences(folder), [*WEIGHTS.values(), NOT_SAID]
    by_terms: dict[str, list[str]] = {terms: [] for terms in reversed(order)}
    for name, licence in by_model.items():
        by_terms[licence["weights"] if licence.get("weights") in order else NOT_SAID].append(name)
    lines = [f"- {terms}: {', '.join(names)}" for terms, names in by_terms.items() if names]
    head = "The code is under the MIT licence. The stored models are under the terms of their data:"
    return "\n".join([head, "", *lines]) if lines else "The code is under the MIT licence."
