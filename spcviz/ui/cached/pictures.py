"""Cached calls of the Joint beats separate page."""

import streamlit as st

from spcviz.problems.common.folders import data_folder
from spcviz.problems.pictures import denoise, live, stereo_pairs

PICTURES = {name: picture.title for name, picture in denoise.PICTURES.items()}


def stereo_names():
    """Stereo pairs that are here, the rendered one first."""
    return [live.DOTS, *stereo_pairs.available(data_folder())]


@st.cache_resource(max_entries=48, show_spinner="Reading the picture three ways ...")
def picture_readings(name, seed, noise, weight):
    """A stereo pair or a spoiled picture read three ways; see `spcviz.problems.pictures.live`."""
    if name in PICTURES:
        return live.clean_readings(name, seed, noise, weight)
    return live.stereo_readings(name, seed, noise, weight, folder=data_folder())
