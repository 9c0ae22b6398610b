"""The Python of the page Joint beats separate: lines that compute what is shown."""

_LINES = """# Joint beats separate: one picture, read three ways.
# Wants spcviz[app]; photographs in stereo want the folder of data that the environment variable SPCVIZ_DATA
# names.
from spcviz import scenes

readings = scenes.joint_beats_separate({name!r}, seed={seed}, noise={noise}, weight={weight})
for name, wrong, off in zip(("pixel by pixel", "row by row", "the grid"), readings.errors, readings.mean_off):
    print(f"{{name}}: {{100 * wrong:.1f}} % wrong, {{off:.2f}} off on average")
"""


def lines(name: str, seed: int, noise: float, weight: float | None) -> str:
    """The lines for a picture or a stereo pair; a weight of None is what suits it."""
    return _LINES.format(name=name, seed=seed, noise=noise, weight=weight)
