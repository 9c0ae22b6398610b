"""The app with one stored model damaged: its pages say which command repairs it, all others work.

``python -m tests.robust.stored_models MODEL DAMAGE [PAGE ...]``: one case, in a process of its own, since
what is stored is looked up when the app is imported; a line of JSON for each address.
"""

import json
import logging
import shutil
import sys
import tempfile
from pathlib import Path

ADDRESSES = (
    ("pages/start/home.py", {}),
    ("pages/start/tours.py", {}),
    ("pages/learn/exact_inference.py", {}),
    ("pages/learn/joint_beats_separate.py", {}),
    ("pages/cascade/letters.py", {}),
    ("pages/cascade/letters.py", {"features": "open_raw"}),
    ("pages/cascade/letters.py", {"features": "raw"}),
    ("pages/cascade/letters.py", {"features": "hog"}),
    ("pages/cascade/letters.py", {"features": "fourier"}),
    ("pages/cascade/sweep.py", {}),
    ("pages/cascade/write.py", {}),
    ("pages/cascade/tagging.py", {}),
    ("pages/cascade/loopy.py", {}),
    ("pages/cascade/pose.py", {}),
    ("pages/cascade/pose.py", {"scene": "rendered"}),
    ("pages/cascade/pose.py", {"show": "bought"}),
    ("pages/budget/trade_off.py", {}),
    ("pages/budget/trade_off.py", {"vocabulary": "ocr"}),
    ("pages/budget/trade_off.py", {"task": "arms"}),
    ("pages/budget/trade_off.py", {"task": "parsing"}),
    ("pages/budget/trade_off.py", {"task": "scene"}),
    ("pages/budget/policy.py", {}),
    ("pages/budget/policy.py", {"vocabulary": "ocr"}),
    ("pages/budget/hybrid.py", {}),
    ("pages/budget/parsing.py", {}),
    ("pages/budget/scene.py", {}),
    ("pages/results/tables.py", {}),
)
"""Every page, and what else shows a stored model."""


def _flip(path):
    data = bytearray(path.read_bytes())
    data[len(data) // 2] ^= 1
    path.write_bytes(data)


def _truncate(path):
    path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])


def _other(path):
    """Another model's manifest, whole, under this name."""
    others = sorted(own for own in path.parent.glob("*.json") if own.stem != path.stem)
    path.unlink()
    shutil.copy(others[0], path)


DAMAGES = {
    "arrays flipped": (".npz", _flip),
    "arrays truncated": (".npz", _truncate),
    "arrays missing": (".npz", Path.unlink),
    "manifest flipped": (".json", _flip),
    "manifest truncated": (".json", _truncate),
    "manifest missing": (".json", Path.unlink),
    "manifest of another": (".json", _other),
}


def damaged_copy(models, folder, name, damage):
    """A folder of models in which one is damaged."""
    suffix, spoil = DAMAGES[damage]
    for path in models.glob("*.*"):
        shutil.copy(path, folder)
    (path,) = (own for own in folder.glob(f"{name}.*") if own.suffix == suffix)
    spoil(path)


def open_each(addresses):
    """What each address shows: its page and parameters, exceptions, and all that it says in boxes."""
    from tests.app.driver import ROOT, AppTest

    for page, params in addresses:
        at = AppTest.from_file(ROOT / "app.py", default_timeout=300).run()
        at.switch_page(page)
        for key, value in params.items():
            at.query_params[key] = value
        at.run()
        said = [box.value for kind in ("error", "warning", "info") for box in at.get(kind)]
        n_elements = len(at.main) + len(at.get("bidi_component"))
        yield {
            "page": page, "params": params, "said": said, "elements": n_elements,
            "exceptions": [f"{own.message}" for own in at.exception],
        }  # fmt: skip


def main(name, damage, *pages):
    from spcviz.problems.common import folders

    with tempfile.TemporaryDirectory() as folder:
        if name:
            damaged_copy(folders.MODELS, Path(folder), name, damage)
            folders.MODELS = Path(folder)  # before anything that takes it over is imported
        logging.basicConfig(stream=sys.stderr)
        for found in open_each([own for own in ADDRESSES if not pages or Path(own[0]).stem in pages]):
            print(json.dumps(found), flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
