"""Fixtures of the benchmarks' tests: the small world of `tests.problems.conftest`."""

from tests.problems.conftest import trained, words  # noqa: F401
