"""The fixtures of the problems' tests."""

from tests.problems.conftest import executor, home, trained, words  # noqa: F401
