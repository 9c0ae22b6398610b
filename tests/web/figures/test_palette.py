"""One palette: the configuration agrees with it, and everybody can read it."""

import itertools
import re
import tomllib
from pathlib import Path

import numpy as np
import pytest

from spcviz.web.figures import palette

ROOT = Path(__file__).parents[3]
CONFIG = tomllib.loads((ROOT / ".streamlit/config.toml").read_text())
MARKS = ("kept", "pruned", "truth", "map", "threshold", "lost")
WORDS = (*MARKS, "text", "muted", "accent")

# Machado, Oliveira and Fernandes (2009), full dichromacy, on linear sRGB.
VISION = {
    "usual": np.eye(3),
    "protanopia": [[0.152, 1.053, -0.205], [0.115, 0.786, 0.099], [-0.004, -0.048, 1.052]],
    "deuteranopia": [[0.367, 0.861, -0.228], [0.280, 0.673, 0.047], [-0.012, 0.043, 0.969]],
    "tritanopia": [[1.256, -0.077, -0.179], [-0.078, 0.931, 0.148], [0.005, 0.691, 0.304]],
}
# Ottosson (2020), OKLab: equal distances look about equally different; black to white is 1.
TO_CONES = [[0.4122, 0.5363, 0.0514], [0.2119, 0.6807, 0.1074], [0.0883, 0.2817, 0.6300]]
TO_OKLAB = [[0.2105, 0.7936, -0.0041], [1.9780, -2.4286, 0.4506], [0.0259, 0.7828, -0.8087]]

both = pytest.mark.parametrize("colours", [palette.LIGHT, palette.DARK], ids=["light", "dark"])


def linear(colour):
    """Linear sRGB of ``#RRGGBB``, shape (3,), 0 to 1."""
    c = np.array([int(colour[i : i + 2], 16) for i in (1, 3, 5)]) / 255
    return np.where(c <= 0.04045, c / 12.92, ((c + 0.055) / 1.055) ** 2.4)


def contrast(one, other):
    """Contrast ratio of WCAG 2, from 1 to 21."""
    darker, lighter = sorted(float(linear(c) @ [0.2126, 0.7152, 0.0722]) for c in (one, other))
    return (lighter + 0.05) / (darker + 0.05)


def oklab(colour, vision):
    seen = np.clip(np.array(VISION[vision]) @ linear(colour), 0, 1)
    return np.array(TO_OKLAB) @ np.cbrt(np.array(TO_CONES) @ seen)


@both
def test_configuration_repeats_the_palette(colours):
    section = CONFIG["theme"]["dark" if colours is palette.DARK else "light"]
    expected = {key: getattr(colours, role) for role, key in palette.STREAMLIT_KEYS.items()}
    expected["chartCategoricalColors"] = [getattr(colours, role) for role in palette.CATEGORICAL]
    assert section == expected


@both
def test_colours_are_colours(colours):
    for role, colour in colours._asdict().items():
        assert re.fullmatch("#[0-9A-F]{6}", colour), role


@both
@pytest.mark.parametrize("role", WORDS)
def test_contrast(colours, role):
    for behind in (colours.background, colours.surface):
        assert contrast(getattr(colours, role), behind) >= 4.5


@both
@pytest.mark.parametrize("vision", VISION)
def test_roles_stay_apart(colours, vision):
    for one, other in itertools.combinations(MARKS, 2):
        a, b = (oklab(getattr(colours, role), vision) for role in (one, other))
        assert np.linalg.norm(a - b) > 0.07, (one, other)


@pytest.mark.parametrize(
    ("colours", "tiers"), [(palette.LIGHT, palette.LIGHT_TIERS), (palette.DARK, palette.DARK_TIERS)]
)
def test_tiers_are_read_and_stay_apart(colours, tiers):
    for tier in tiers:
        assert min(contrast(tier, behind) for behind in (colours.background, colours.surface)) >= 4.5
    for vision in VISION:
        for one, other in itertools.combinations(tiers, 2):
            assert np.linalg.norm(oklab(one, vision) - oklab(other, vision)) > 0.07, (vision, one, other)


def test_every_state_has_a_shape_of_its_own():
    assert set(palette.SYMBOLS) == set(MARKS)
    assert len(set(palette.SYMBOLS.values())) == len(MARKS)


def test_css_variables_match_the_options():
    """Streamlit derives a variable from each option: blueColor becomes --st-blue-color."""
    for role, option in palette.STREAMLIT_KEYS.items():
        assert palette.CSS_VARIABLES[role] == "--st-" + re.sub("([A-Z])", r"-\1", option).lower()


@pytest.mark.parametrize(
    ("kind", "colours"), [("light", palette.LIGHT), ("dark", palette.DARK), (None, palette.LIGHT)]
)
def test_palette(kind, colours):
    assert palette.palette(kind) is colours


def test_server_defaults():
    assert CONFIG["browser"]["gatherUsageStats"] is False
    assert CONFIG["client"]["showErrorDetails"] != "full"
    assert CONFIG["runner"]["postScriptGC"] is False
    assert CONFIG["server"]["address"] == "localhost"
    assert CONFIG["server"]["fileWatcherType"] == "none"
    assert CONFIG["server"]["maxUploadSize"] <= 20
