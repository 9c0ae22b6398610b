"""The small world of the problems' tests."""

from tests.problems.conftest import executor, home, trained, words  # noqa: F401
from tests.web.figures.conftest import checked_figures  # noqa: F401
