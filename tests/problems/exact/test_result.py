"""Paper tables of policy-theorems: tables and sentences follow the result's numbers."""

import pytest

from spcviz.problems.exact import result as shown


def row(theorem, policies, violations=0, astray=0.0, excess=0.0):
    return {
        "theorem": theorem, "policies": policies, "n_problems": 20, "n_policies": 100,
        "violations": violations, "astray": astray, "excess": excess, "astray_se": 0.01,
    }  # fmt: skip


RESULT = {
    "rows": [row("2.1", "all"), row("2.2", "all", astray=0.4, excess=0.05), row("2.3", "word"),
             row("search", "trajectory", astray=0.05), row("search", "parsimonious")],
    "settings": {"letters_theorems": 3, "letters_searches": 5, "cost_letter_bought": 1,
                 "cost_wrong_letter": 4, "free": "upper half"},
}  # fmt: skip


def test_the_table_has_a_line_a_claim():
    frame = shown.theorems_frame(RESULT)
    assert list(frame["broken"]) == ["0", "0", "0", "–", "–"]
    assert frame["not the best %"].tolist() == pytest.approx([0, 40, 0, 5, 0])
    assert all(set(shown.THEOREMS.needs) <= set(r) for r in RESULT["rows"])
    assert shown.THEOREMS.blocks(RESULT, "", {})
