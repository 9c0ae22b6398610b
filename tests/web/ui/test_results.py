"""The page Paper tables finds and shows every stored result."""

from spcviz.web.cached import common
from spcviz.web.figures import stored_results as figures
from spcviz.web.ui import results


def test_every_result_is_drawn_ahead_with_each_of_its_features():
    usable = [n for n in results.names() if figures.is_usable(common.result(n), results.find_shown(n).needs)]
    wanted = {(n, f) for n in usable for f in figures.features_of(common.result(n)) or [results.FEATURES]}
    results.result_blocks.clear()
    assert sum(1 for _ in results.fill_more()) == len(wanted) > len(usable)
    assert {key[:2] for key in results.result_blocks.known} == wanted
