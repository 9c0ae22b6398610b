"""The page Scenes at any time through app.py: it comes up, and changes its picture."""

import pytest

from spcviz.ui.cached import scene as cached
from tests.app.driver import open_page

pytestmark = pytest.mark.skipif(not cached.HAS_SCENE, reason="no predictors: python -m spcviz train scene")


def test_first_visit_and_another_street():
    at = open_page("pages/budget/scene.py", kind="rendered", seed="9")
    assert not at.warning
    at.button[0].click().run()
    assert not at.exception
    found = at.query_params["seed"]
    assert (found[0] if isinstance(found, list) else found) == "10"
