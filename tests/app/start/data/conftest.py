"""Nothing that a visitor brought stays for the next test."""

import pytest

from tests.app.start.data.visitor import let_go


@pytest.fixture(autouse=True)
def nothing_left():
    yield
    let_go()
