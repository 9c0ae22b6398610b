"""The app with one stored model damaged: its pages say which command repairs it, all others work.

``python -m tests.robust.stored_models MODEL DAMAGE [ADDRESS ...]``: one case in a separate process,
because the app looks up stored files when it is imported; prints a line of JSON for each address. Each model
has all addresses opened: those that need it with every damage, the others with one damage each.
"""

import json
import logging
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from spcviz.shared.folders import MODELS, ROOT
from spcviz.store import repair_command

ADDRESSES = (
    ("pages/start/home.py", {}),
    ("pages/start/tours.py", {}),
    ("pages/start/data.py", {}),
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
    ("pages/cascade/pose.py", {"scene": "astronaut", "a0": "0.41"}),
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
"""Every page, and other addresses that show a stored model."""
NAMED = {
    "budget-ocr": ("trade_off vocabulary=ocr", "policy vocabulary=ocr"),
    "budget-open": ("trade_off", "policy"),
    "budget-pose": ("trade_off task=arms", "pose show=bought"),
    "hybrid-words": ("hybrid",),
    "ocr-fourier": ("letters features=fourier",),
    "ocr-hog": ("letters features=hog",),
    "ocr-raw": ("letters features=raw",),
    "open-fourier": ("letters", "sweep"),
    "open-raw": ("letters features=open_raw",),
    "own_data-ewt": ("data",),
    "pose-arms": ("trade_off task=arms", "pose show=bought"),
    "pose-buffy": ("pose scene=astronaut a0=0.41",),
    "parsing-ewt": ("parsing", "trade_off task=parsing"),
    "scene-camvid": ("trade_off task=scene",),
    "tagging-ewt": ("tagging",),
}
"""Addresses that need a model: they must name the command; other addresses may."""


def _flip(path):
    data = bytearray(path.read_bytes())
    data[len(data) // 2] ^= 1
    path.write_bytes(data)


def _truncate(path):
    path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])


def _other(path):
    """Another model's intact manifest, under this name."""
    others = sorted(manifest for manifest in path.parent.glob("*.json") if manifest.stem != path.stem)
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
    (path,) = (file for file in folder.glob(f"{name}.*") if file.suffix == suffix)
    spoil(path)


def open_each(addresses):
    """Contents of each address: its page and parameters, exceptions, and all messages in boxes."""
    from tests.app.driver import AppTest

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
            "exceptions": [f"{error.message}" for error in at.exception],
        }  # fmt: skip


def command_of(page, params):
    """An address in the form of `NAMED`."""
    return " ".join([Path(page).stem, *(f"{key}={value}" for key, value in params.items())])


def asked_for(addresses):
    """Those of `ADDRESSES` that are given, in the form of `NAMED`; all if none is given."""
    return [address for address in ADDRESSES if not addresses or command_of(*address) in addresses]


def opened_at(name, damage):
    """The addresses of a case, in the form of `NAMED`."""
    every, turn = [command_of(*address) for address in ADDRESSES], list(DAMAGES).index(damage)
    needy = NAMED.get(name, ())
    others = [address for address in every if address not in needy]
    return [*needy, *others[turn :: len(DAMAGES)]]


def faults(name, damage, addresses=()):
    """Faults of the app while a model is damaged; one case, in a separate process."""
    command = [sys.executable, "-m", "tests.robust.stored_models", name, damage, *addresses]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False, timeout=800)
    views = [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]
    wanted = asked_for(addresses)
    wrong = [f"{len(views)} of {len(wanted)} addresses opened"] * (len(views) != len(wanted))
    wrong += ["a traceback in the log"] * ("Traceback" in done.stderr)
    for view in views:
        address, said = command_of(view["page"], view["params"]), " ".join(view["said"])
        wrong += [f"{address}: {text}" for text in view["exceptions"]]
        has_to = address in NAMED.get(name, ()) and DAMAGES[damage][0] == ".npz"
        wrong += [f"{address} does not name the command"] * (has_to and repair_command(name) not in said)
        others = [text for text in view["said"] if "repair with" in text and repr(name) not in text]
        wrong += [f"{address} says {text}" for text in others]
    return wrong


def cases():
    """Every stored model with every damage."""
    return [(path.stem, damage) for path in sorted(MODELS.glob("*.json")) for damage in DAMAGES]


def check_stored(seed):
    """Check one of `cases`; returns 1."""
    every = cases()
    case = every[seed % len(every)]
    wrong = faults(*case, opened_at(*case))
    assert not wrong, f"{case}: {'; '.join(wrong)}"
    return 1


def main(name, damage, *addresses):
    from spcviz.shared import folders

    with tempfile.TemporaryDirectory() as folder:
        damaged_copy(MODELS, Path(folder), name, damage)
        folders.MODELS = Path(folder)  # before the app reads it
        from spcviz.web.cached import first

        first.FOLDER = Path(folder) / "none"  # a stored page would not load its model
        logging.basicConfig(stream=sys.stderr)
        for view in open_each(asked_for(addresses)):
            print(json.dumps(view), flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
