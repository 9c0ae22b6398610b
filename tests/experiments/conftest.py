"""Fixtures of the experiments' tests: the small world of `tests.problems.conftest`."""

from tests.problems.conftest import executor, home, trained, words  # noqa: F401
from tests.web.figures.conftest import checked_figures  # noqa: F401
