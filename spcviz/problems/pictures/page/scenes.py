"""Numbers of the page Joint beats separate, behind `spcviz.scenes`.

Modules that compute are imported when called. The lines of Python that the Save menu offers are at the end.
"""

from typing import TYPE_CHECKING

from spcviz.engine.errors import ArgumentError
from spcviz.shared.folders import data_folder

if TYPE_CHECKING:
    from spcviz.problems.pictures.shown import PictureReadings


def joint_beats_separate(
    name: str = "horse", *, seed: int = 0, noise: float = 0.1, weight: float | None = None
) -> "PictureReadings":
    """Read one picture, or a stereo pair, three ways: pixel by pixel, row by row, and as a grid.

    Parameters
    ----------
    name : str
        A picture to be cleaned, "horse" and others; "dots", a stereo pair of random dots; or a stereo pair
        of photographs below the folder that SPCVIZ_DATA names.
    seed : int
        Seed of the noise.
    noise : float
        Share of pixels that are spoiled, 0 to 1.
    weight : float, optional
        Of smoothness; if None, one that suits the picture.

    Returns
    -------
    PictureReadings
        ``readings``, and for each its ``errors`` (share of pixels that are wrong) and ``mean_off``.

    Raises
    ------
    ArgumentError
        For a picture that is unknown or not available here, and for an invalid argument.

    Examples
    --------
    >>> from spcviz import scenes
    >>> one, rows, grid = scenes.joint_beats_separate("horse", seed=1).errors
    >>> grid < rows <= one
    True
    """
    from spcviz.problems.pictures.data import pictures
    from spcviz.problems.pictures.page import live

    if name in pictures.PICTURES:
        return live.clean_readings(name, seed, noise, weight)
    if name == live.DOTS or name in pictures.PAIRS:
        return live.stereo_readings(name, seed, noise, weight, folder=data_folder())
    known = ", ".join([*pictures.PICTURES, live.DOTS, *pictures.PAIRS])
    raise ArgumentError(f"name must be one of {known}, got {name!r:.60}")


_LINES = """# Joint beats separate: one picture, read three ways.
# Wants spcviz[app]; photographs in stereo want the folder of data that the environment variable SPCVIZ_DATA
# names.
from spcviz import scenes

readings = scenes.joint_beats_separate({name!r}, seed={seed}, noise={noise}, weight={weight})
for name, wrong, off in zip(("pixel by pixel", "row by row", "the grid"), readings.errors, readings.mean_off):
    print(f"{{name}}: {{100 * wrong:.1f}} % wrong, {{off:.2f}} off on average")
"""


def joint_beats_separate_lines(name: str, seed: int, noise: float, weight: float | None) -> str:
    """The lines for a picture or a stereo pair; a weight of None is the one that suits it."""
    return _LINES.format(name=name, seed=seed, noise=noise, weight=weight)
