"""Fixtures of the shared layer's tests: the small world of `tests.problems.conftest`."""

from tests.problems.conftest import executor, home, trained, words  # noqa: F401
