"""Wait until a condition holds that other threads and processes bring about in their own time."""

import time
from collections.abc import Callable


def wait_until(is_so: Callable[[], object], seconds: float = 20) -> None:
    """Return as soon as the condition holds; fail after some seconds.

    >>> wait_until(lambda: True)
    """
    end = time.monotonic() + seconds
    while not is_so():
        assert time.monotonic() < end, f"not so after {seconds:g} seconds"
        time.sleep(0.01)
