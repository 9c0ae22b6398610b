"""Builds the wheel; all that is said of the package stands in pyproject.toml.

The app's script, its pages and Streamlit's settings lie at the top of the repository. The wheel brings them
as the folder ``spcviz/app``, where `spcviz.shared.folders.APP` finds them.
"""

from pathlib import Path

from setuptools import setup
from setuptools.command.build_py import build_py

ROOT = Path(__file__).parent
TARGET = Path("spcviz") / "app"


def brought() -> list[str]:
    """Files of the app outside the package, relative to the root."""
    pages = (path.relative_to(ROOT).as_posix() for path in (ROOT / "pages").rglob("*.py"))
    return ["app.py", ".streamlit/config.toml", *sorted(pages)]


class WithApp(build_py):
    """`build_py` that brings the app."""

    def run(self) -> None:
        super().run()
        if not self.editable_mode:  # there the repository itself is used
            for name in brought():
                target = Path(self.build_lib) / TARGET / name
                self.mkpath(str(target.parent))
                self.copy_file(str(ROOT / name), str(target))

    def get_source_files(self) -> list[str]:
        return [*super().get_source_files(), *brought()]


setup(cmdclass={"build_py": WithApp})
