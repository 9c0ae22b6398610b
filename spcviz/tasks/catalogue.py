"""Which data sets there are, where they come from, and which are here.

The handwritten words ship with the project. Other sets are looked for in the folder that the
environment variable SPCVIZ_DATA names; nothing is fetched by itself.
"""

import hashlib
import os
from pathlib import Path
from typing import NamedTuple

from spcviz.tasks import ocr, pose_data, pose_pictures, tagging


class DataSet(NamedTuple):
    """One data set.

    Attributes
    ----------
    name : str
    what : str
    origin : str
        Where anyone can get it, and on what terms.
    folder : str
        Below SPCVIZ_DATA; empty if it ships with the project.
    """

    name: str
    what: str
    origin: str
    folder: str


CATALOGUE = (
    DataSet(
        "ocr",
        "6877 handwritten words, 52152 letters of 16 x 8 pixels, 10 folds",
        f"{ocr.ORIGIN}; original: http://ai.stanford.edu/~btaskar/ocr/letter.data.gz",
        "",
    ),
    DataSet(
        "text_ud_ewt",
        "12544 / 2001 / 2077 English sentences with Penn tags (XPOS), official split",
        tagging.EWT_ORIGIN,
        tagging.FOLDERS["ewt"],
    ),
    DataSet(
        "text_ptb_sample",
        "3914 sentences of the Wall Street Journal, 199 files in order; measured only",
        tagging.WSJ_ORIGIN,
        tagging.FOLDERS["wsj"],
    ),
    DataSet(
        "stereo",
        "Middlebury stereo pairs with true disparity: Motorcycle, Cones, Adirondack; see "
        "spcviz/tasks/stereo_pairs.py. Motorcycle also comes with scikit-image",
        "https://vision.middlebury.edu/stereo/data/ (Scharstein and Szeliski 2003, Scharstein et al. 2014)",
        "stereo",
    ),
    DataSet(
        "pose_buffy",
        "748 television frames with the sticks of an upper body, in clips of 4; research use only",
        pose_data.ORIGIN,
        pose_data.FOLDER,
    ),
    DataSet(
        "pose_parse",
        "305 people with 14 joints; the upright ones teach limb detectors",
        pose_pictures.ORIGINS["pose_parse"],
        "pose_parse",
    ),
    DataSet(
        "pose_lspet",
        "athletes with 14 joints; the upright ones teach the lower arms' detector; research use",
        pose_pictures.ORIGINS["pose_lspet"],
        "pose_lspet",
    ),
)

SHIPPED_SHA256 = "0b8ad7e7437dcd3fcd5d3e9d6b7e574972a269349f07fc043523572a61243376"
"""Of cache/data/ocr_letters.npz."""


def data_folder():
    """The folder that SPCVIZ_DATA names, or None if it is unset or missing."""
    named = os.environ.get("SPCVIZ_DATA")
    folder = Path(named).expanduser() if named else None
    return folder if folder is not None and folder.is_dir() else None


def is_intact(path=ocr.SHIPPED):
    """Whether the shipped words are there, byte for byte."""
    try:
        return hashlib.sha256(Path(path).read_bytes()).hexdigest() == SHIPPED_SHA256
    except OSError:
        return False


def describe():
    """Lines for a person: each set, where it comes from, whether it is here.

    Yields
    ------
    str
    """
    folder = data_folder()
    yield f"SPCVIZ_DATA: {folder if folder else 'not set, or no such folder; only shipped data is used'}"
    for entry in CATALOGUE:
        yield f"{entry.name}: {entry.what}"
        yield f"  from {entry.origin}"
        if entry.folder:
            here = folder is not None and (folder / entry.folder).is_dir()
            yield f"  {'found' if here else f'not found; put it in $SPCVIZ_DATA/{entry.folder}'}"
        else:
            state = "shipped, intact" if is_intact() else "missing or damaged: check out cache/data anew"
            yield f"  {ocr.SHIPPED}: {state}"
