"""Claims: the verdict function, the writer, and every claim against the stored results."""

import json
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spcviz import registry
from spcviz.shared.folders import RESULTS
from spcviz.web.figures import claims
from spcviz.web.figures.claims import Claim, Reading, find, read, verdict

ROWS = registry.results()
STORED = [name for name in ROWS if (RESULTS / f"{name}.json").exists()]
NUMBER = st.floats(-1e6, 1e6)
SPREAD = st.floats(0, 1e6)
BY_HAND = {"ours": 3.0, "theirs": 5.0, "se": 0.5, "rows": [{"k": 1, "x": 7}, {"k": 2, "x": None}]}


def rank(words):
    """How good a verdict is, of one kind of claim."""
    return next(
        i for i, w in enumerate(("short", "contra", "no diff", "repro", "better")) if words.startswith(w)
    )


@given(NUMBER, NUMBER, NUMBER, SPREAD, st.sampled_from(("level", "rival", "ahead")), st.booleans())
def test_a_better_number_never_has_a_worse_verdict(one, other, paper, spread, kind, is_higher):
    low, high = sorted((one, other))
    better = "higher" if is_higher else "lower"
    said = [verdict(v, paper, kind=kind, better=better, spread=spread) for v in (low, high)]
    worse, best = said if is_higher else said[::-1]
    assert rank(worse) <= rank(best)


@given(NUMBER, SPREAD, st.sampled_from(("level", "rival", "ahead")), st.sampled_from((-1, 1)))
def test_what_lies_on_the_edge_of_the_spread_is_no_difference(paper, spread, kind, sign):
    assert verdict(paper, paper, kind=kind, spread=spread) == "no difference"
    assert (
        verdict(paper, (paper - spread, paper + spread), kind=kind, spread=(paper, paper)) == "no difference"
    )
    outside = 2 * (spread + 1)
    assert verdict(sign * outside, kind=kind, spread=spread) != "no difference"
    assert verdict(sign * spread, kind=kind, spread=spread) == "no difference"
    assert verdict(1.0, kind=kind, spread=(-1.0, None)) == verdict(1.0, kind=kind, spread=True)


@pytest.mark.parametrize(
    ("kind", "more", "equal", "less"),
    [
        ("level", "better", "reproduced", "short by 2.0"),
        ("rival", "better", "no difference", "short by 2.0"),
        ("ahead", "reproduced", "no difference", "contradicted"),
    ],
)
def test_the_words(kind, more, equal, less):
    assert [verdict(v, 5.0, kind=kind) for v in (7.0, 5.04, 3.0)] == [more, equal, less]
    assert [verdict(v, 5.0, kind=kind, better="lower") for v in (3.0, 5.04, 7.0)] == [more, equal, less]
    assert verdict(7.0, 5.0, kind=kind, spread=False) == more
    assert verdict(3.0, 5.0, kind=kind, spread=(2.0, 4.0)) == less


def test_ranges_statements_and_what_nobody_claims():
    assert [verdict(v, (2.5, 3)) for v in (2.0, 2.7, 4.0)] == ["short by 0.5", "reproduced", "better"]
    assert [verdict(n, kind="holds") for n in (0, 3)] == ["reproduced", "not reproduced"]
    assert verdict(9.0, 1.0, kind="new") == "new"
    with pytest.raises(ValueError, match=r"kind must be one of \[.*\], got 'guess'"):
        verdict(1.0, kind="guess")
    with pytest.raises(ValueError, match="better must be 'higher' or 'lower', got 'up'"):
        verdict(1.0, better="up")


def test_places_in_a_result():
    assert find(BY_HAND, ("rows", {"k": 1}, "x")) == 7
    with pytest.raises(claims.NotMeasured, match="no row with"):
        find(BY_HAND, ("rows", {"k": 3}, "x"))
    for where, error in ((("none",), KeyError), (("rows", 9), IndexError), (("ours", "x"), TypeError)):
        with pytest.raises(error) as caught:
            find(BY_HAND, where)
        assert not isinstance(caught.value, claims.NotMeasured)


def test_a_claim_is_read_and_printed():
    claim = Claim("r", "s", "w", ("ours",), "rival", ("theirs",), spread=claims.twice("se"), decimals=2,
                shown="{} px, {:d}", beside=(("rows", {"k": 1}, "x"),), said="theirs {}",
                note=lambda result: f"of {len(result['rows'])}")  # fmt: skip
    assert read(claim, BY_HAND)[1:] == ("short by 2.00", "3.00 ± 0.50 px, 7", "theirs 5.00", "of 2")
    gain = Claim("r", "s", "w", ("ours",), "ahead", spread=lambda result: [1.0, None])
    assert read(gain, BY_HAND)[1:4] == ("reproduced", "+3.0 [+1.0 or more]", "–")
    missing = claim._replace(value=("rows", {"k": 5}, "x"))
    assert read(missing, BY_HAND).verdict == "not measured"
    with pytest.raises(KeyError, match="none"):
        read(claim._replace(value=("none",)), BY_HAND)  # a damaged result is no result of fewer data sets
    with pytest.raises(TypeError):
        read(claim._replace(value=("rows", {"k": 2}, "x")), BY_HAND)  # what is None is no number


def reading(words, what="w"):
    return Reading(Claim("r", "s", what, ()), words, "1", "2", "")


def test_a_system_is_led_by_what_is_contradicted_or_fails():
    readings = [reading("better", "a"), reading("no difference", "b"), reading("short by 1", "c"),
             reading("contradicted", "d")]  # fmt: skip
    assert claims.system_line(readings) == ("contradicted: d, 1 (2 of 4 fail)", "2")
    assert claims.system_line(readings[:3]) == ("short by 1: c, 1 (1 of 3 fail)", "2")
    assert claims.system_line(readings[:2]) == ("no difference: b, 1", "2")
    assert claims.system_line(readings[:1]) == ("better: 1", "2")
    assert [r.claim.what for r in claims.worst_first(readings)] == ["d", "c", "b", "a"]
    assert claims.counts(readings) == "4 claims: 1 contradicted, 1 short, 1 no difference, 1 better"


def test_a_table_of_claims_begins_with_the_verdict():
    readings = [reading("better"), reading("new")]
    table = claims.frame(readings)
    assert table.index.name == "verdict"
    assert list(table.columns) == ["claim", "measured", "paper or rival"]  # no source, no note, one system
    other = readings[0]._replace(
        claim=readings[0].claim._replace(system="t", source="Fig. 1"), note="chosen on test"
    )
    assert list(claims.frame([*readings, other]).columns) == list(claims.COLUMNS[1:])


@pytest.mark.parametrize("name", list(ROWS))
def test_every_result_has_a_claim_or_says_why_not(name):
    shown = registry.load(ROWS[name].show)
    listed = [claim for claim in shown.claims if claim.result == name]
    assert bool(listed) != bool(shown.no_claims)
    assert {claim.result for claim in shown.claims} <= set(ROWS)
    assert len({(claim.system, claim.what) for claim in listed}) == len(listed)


@pytest.mark.parametrize("name", STORED)
def test_every_claim_is_found_in_its_stored_result(name):
    result = json.loads((RESULTS / f"{name}.json").read_text())
    for entry in claims.readings_of(registry.load(ROWS[name].show).claims, result):
        assert entry.verdict != claims.NOT_MEASURED, entry.claim.what
        claims.severity(entry.verdict)
        assert entry.measured not in ("", "–")
        assert not {"nan", "inf", "None"} & set(entry.measured.replace(",", " ").split()), entry.claim.what
        value = find(result, entry.claim.value)
        assert math.isfinite(value), entry.claim.what
    for system, group in claims.by_system(
        claims.readings_of(registry.load(ROWS[name].show).claims, result)
    ).items():
        assert max(map(len, (system, *claims.system_line(group)))) <= 90, (system, claims.system_line(group))
