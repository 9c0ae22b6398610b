"""The app with a damaged model: a few cases; ``bench robust --only pages`` runs all of them."""

import pytest

from benchmarks import robust
from tests.robust.stored_models import (
    ADDRESSES,
    DAMAGES,
    NAMED,
    asked_for,
    cases,
    command_of,
    faults,
    opened_at,
)


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
        command_of(*address) for address in ADDRESSES
    }
    assert {name for name, _ in cases()} > set(NAMED)


@pytest.mark.parametrize("name", ["budget-pose", "tagging-ewt", "no model of a page"])
def test_all_damages_of_a_model_open_all_addresses_and_each_those_that_need_it(name):
    opened = [opened_at(name, damage) for damage in DAMAGES]
    assert set().union(*opened) == {command_of(*address) for address in ADDRESSES}
    for addresses in opened:
        assert set(addresses) >= set(NAMED.get(name, ()))
        assert [command_of(*address) for address in asked_for(addresses)] == sorted(addresses, key=order_of)


def order_of(address):
    return [command_of(*entry) for entry in ADDRESSES].index(address)
