"""The app that the tests of this folder share."""

import pytest

from tests.conftest import running_app


@pytest.fixture(scope="package")
def server(tmp_path_factory):
    """Address of the app, started for this folder's tests and stopped after them; without a final slash."""
    with running_app(tmp_path_factory.mktemp("server") / "log.txt", ahead=False) as address:
        yield address
