"""Fig. 5.3 next to the paper's: frames and sentences, from a small result."""

import pytest

from spcviz.problems.grids import result
from spcviz.problems.grids.result import DECIMALS
from spcviz.problems.grids.result import GRID as SHOWN
from spcviz.web.figures.stored_results import number_format

GRID = {
    "name": "grid",
    "rows": [
        {"method": m, "k": k, "error": e / k, "stderr": 0.01}
        for m, e in (("ensemble", 0.3), ("lbp", 0.4), ("tree", 0.5))
        for k in (1, 2)
    ],
    "trees": [
        {"method": "tree", "tree": p, "k": k, "error": (0.5 + 0.1 * p) / k, "stderr": 0.02}
        for p in (0, 1)
        for k in (1, 2)
    ],
    "baselines": [{"method": "samples", "k": k, "error": 0.1 / k, "stderr": 0.0} for k in (1, 2)],
    "gaps": [{"method": m, "k": 1, "gap": 0.1, "stderr": 0.01} for m in ("lbp", "tree")],
    "agreement": {
        "median": 0.37,
        "complete": 0.01,
        "by_k": [
            {"k": 1, "error_rho": -0.2, "gain_rho": 0.03},
            {"k": 2, "error_rho": None, "gain_rho": None},
        ],
    },
    "convergence": {"variables_unconverged": 0.9},
    "order_holds": {"all": True, "broken_at_k": []},
    "paper": {
        "median_agreement": 0.38,
        "agreement_error_rho": {"k": 1, "rho": -0.143},
        "agreement_gain_rho": {"max_rho": 0.0185},
    },
    "settings": {"n_instances": 3, "rows": 3, "columns": 3, "n_states": 2, "n_samples": 5, "quick": False},
}


def test_the_grid_s_errors_with_mean_and_best_comb():
    frame = result.errors_frame(GRID)
    assert frame.loc[1, "all combs (ensemble) %, measured"] == pytest.approx(30)
    assert frame.loc[2, "best comb %, measured"] == pytest.approx(25)
    assert frame.loc[1, "mean comb %, std. error"] == pytest.approx(1)
    assert list(frame.columns[:2]) == [f"all combs (ensemble) %, {k}" for k in ("measured", "std. error")]
    assert number_format("best comb %, measured", DECIMALS) == "%.2f"


def test_the_grid_s_agreement_beside_the_paper_s():
    frame = result.agreement_frame(GRID)
    assert frame.loc["median agreement of the combs"].tolist() == [0.37, 0.38]
    assert frame.loc["agreement against ensemble's error, rho at K = 1"].tolist() == [-0.2, -0.143]
    assert frame.filter(like="gain over", axis=0).iloc[0].tolist() == [0.03, 0.0185]
    bare = {"name": "grid", "rows": GRID["rows"]}
    assert result.agreement_frame(bare).empty


def test_how_grids_were_made_is_noted_if_known():
    assert SHOWN.notes(GRID) == []
    more = {"lbp_iterations": 7, "lbp_schedule": "sequential", "random_state": 3}
    more |= {"strength": 25.0, "n_sweeps": 9}
    (said,) = SHOWN.notes({"settings": more})
    assert "random state 3" in said
    assert "7 sequential iterations" in said
