"""Cached calls of Joint beats separate: pictures, stereo pairs, and each of them read three ways."""

from spcviz.problems.pictures.data import pictures
from spcviz.problems.pictures.page import live
from spcviz.problems.pictures.shown import PictureReadings
from spcviz.shared.folders import data_folder
from spcviz.web.cached.sharing import share

PICTURES = {name: picture.title for name, picture in pictures.PICTURES.items()}


def stereo_names():
    """Stereo pairs that are available here, the rendered one first."""
    return [live.DOTS, *pictures.available(data_folder())]


@share(len(pictures.PAIRS))
def _pair(name, folder):
    return pictures.load_pair(name, folder)


@share(len(PICTURES))
def _picture(name):
    return pictures.load_picture(name)


@share(160, stored=PictureReadings)
def picture_readings(name, seed, noise, weight):
    """A stereo pair or a noisy picture read three ways; see `spcviz.problems.pictures.page.live`."""
    if name in PICTURES:
        return live.clean_readings(name, seed, noise, weight, load=_picture)
    return live.stereo_readings(name, seed, noise, weight, load=_pair, folder=data_folder())
