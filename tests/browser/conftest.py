"""The app that the tests of this folder share."""

import pytest

from tests.conftest import running_app


@pytest.fixture(scope="package")
def server(tmp_path_factory):
    """Address of the app, started for this folder's tests; no slash at the end.

    It ends with them: whenever nobody visits it, an app works out what may be asked for next (every clip of
    the Pose page, minutes of work), which would slow all tests that follow.
    """
    with running_app(tmp_path_factory.mktemp("server") / "log.txt") as address:
        yield address
