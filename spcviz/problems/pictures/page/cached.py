"""Cached calls of the Joint beats separate page."""

import streamlit as st

from spcviz.problems.common.folders import data_folder
from spcviz.problems.pictures.data import denoise, stereo_pairs
from spcviz.problems.pictures.page import live

PICTURES = {name: picture.title for name, picture in denoise.PICTURES.items()}


def stereo_names():
    """Stereo pairs that are here, the rendered one first."""
    return [live.DOTS, *stereo_pairs.available(data_folder())]


@st.cache_resource(max_entries=len(stereo_pairs.PAIRS), show_spinner=False)
def _pair(name, folder):
    return stereo_pairs.load_pair(name, folder)


@st.cache_resource(max_entries=len(PICTURES), show_spinner=False)
def _picture(name):
    return denoise.load_picture(name)


@st.cache_resource(max_entries=96, show_spinner="Reading the picture three ways ...")
def picture_readings(name, seed, noise, weight):
    """A stereo pair or a noisy picture read three ways; see `spcviz.problems.pictures.page.live`."""
    if name in PICTURES:
        return live.clean_readings(name, seed, noise, weight, load=_picture)
    return live.stereo_readings(name, seed, noise, weight, load=_pair, folder=data_folder())
