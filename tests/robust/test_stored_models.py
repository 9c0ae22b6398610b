"""The app with a damaged model: a few cases; all of them are ``bench robust --only pages``."""

import pytest

from spcviz.bench import robust
from tests.robust.stored_models import ADDRESSES, NAMED, cases, command_of, faults


@pytest.mark.parametrize(
    ("name", "damage", "pages"),
    [
        ("hybrid-words", "arrays flipped", ("hybrid", "home")),
        ("budget-open", "manifest of another", ("policy",)),
    ],
)
def test_a_damaged_model_is_named_with_its_command_and_others_work(name, damage, pages):
    assert faults(name, damage, pages) == []


def test_every_model_and_damage_is_a_case_of_bench_robust():
    (row,) = (row for row in robust.ROWS if row.check == "stored models")
    assert row.cases == len(cases())
    assert {address for named in NAMED.values() for address in named} <= {
        command_of(*own) for own in ADDRESSES
    }
    assert {name for name, _ in cases()} > set(NAMED)
