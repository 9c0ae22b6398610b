"""The Python of the page Joint beats separate: lines that compute what is shown."""

_LINES = """# Joint beats separate: one picture, read three ways. Run this in a clone.
from spcviz.shared.folders import data_folder
from spcviz.problems.pictures.page import live

readings = live.{call}
for name, wrong, off in zip(("pixel by pixel", "row by row", "the grid"), readings.errors, readings.mean_off):
    print(f"{{name}}: {{100 * wrong:.1f}} % wrong, {{off:.2f}} off on average")
"""


def lines(name: str, seed: int, noise: float, weight: float | None, *, is_stereo: bool) -> str:
    """The lines for a picture or a stereo pair; a weight of None is what suits it."""
    more = ", folder=data_folder()" if is_stereo else ""
    call = f"{'stereo' if is_stereo else 'clean'}_readings({name!r}, {seed}, {noise}, {weight}{more})"
    return _LINES.format(call=call)
