"""Evidence on methods that spend a budget: where a method pays off, and the sentence about it."""

import pytest

from spcviz.learning.budgets.methods import METHODS, Terms
from spcviz.problems.arms.paper import pays as arms
from spcviz.problems.budgets.evidence import Evidence, Gap, best, closest, is_simple, opening, says
from spcviz.problems.parsing.paper import pays as parsing
from spcviz.problems.scene.paper import pays as scene
from spcviz.problems.words.paper import pays as words
from spcviz.shared import result_files
from spcviz.shared.folders import RESULTS

TERMS = Terms("word", "words", "letter", "letters")


def of(*gaps):
    return Evidence("5 folds", "letters misread", "units", TERMS, gaps)


def gap(share, low, method="dms_pi", rival="uniform"):
    return Gap(method, rival, share, low + 1.0, low, low + 2.0)


def read(name):
    return result_files.read(RESULTS, name)


def test_the_rival_that_comes_closest_counts():
    far, near = gap(0.5, 2.0), gap(0.5, -0.5, rival="myopic")
    assert closest([far, near]) == closest([near, far]) == {("dms_pi", 0.5): near}
    assert best(of(far)) == far
    assert best(of(far, near)) is None


def test_a_method_pays_that_is_clearly_ahead_at_more_than_half_of_the_budgets():
    once, never = gap(0.1, 3.0), [gap(share, -0.1) for share in (0.2, 0.3)]
    assert opening(of(once, *never)) == {}
    twice = of(once, gap(0.2, 4.0), gap(0.3, -0.1))
    assert opening(twice) == {"method": "dms_pi", "budget": 0.2, "kind": "units"}
    assert opening(of(once, gap(0.2, -0.1))) == {}
    assert opening(None) == {}


def test_the_sentence_says_where_and_by_how_much_and_if_not_that():
    both = of(gap(0.1, 3.0), gap(0.5, 0.5), gap(0.5, -9.0, method="greedy"))
    assert says(both, "dms_pi", 0.2) == (
        "Over 5 folds, at 10 % of the cost in units, “Letters, learned (DMS-π)” has 4.0 fewer letters "
        "misread in 100 than “Letters, at random”, the closest simple rule (95 %: 3.0 to 5.0); it is clearly "
        "ahead at 2 of 2 budgets."
    )
    assert "at 50 % of" in says(both, "dms_pi", 0.4)
    assert "8.0 more letters misread in 100" in says(both, "greedy", 0.5)
    assert "(95 %: 7.0 to 9.0); it is clearly ahead at 0 of 1" in says(both, "greedy", 0.5)
    assert says(both, "uniform", 0.9).endswith("(95 %: 3.0 to 5.0): here a learned method pays most.")
    none = says(of(gap(0.1, -0.5)), "dms_pi", 0.1)
    assert "no learned method is clearly ahead" in none
    assert (
        "0.5 fewer letters misread in 100 than “Letters, at random”, which is open (95 %: -0.5 to 1.5)"
        in none
    )
    worse = says(of(gap(0.1, -1.5)), "dms_pi", 0.1)
    assert (
        "0.5 more letters misread in 100 than “Letters, at random”, which is open (95 %: -0.5 to 1.5)"
        in worse
    )
    assert says(None, "dms_pi", 0.1).startswith("No stored result")


def test_an_oracle_is_neither_simple_nor_offered_as_evidence():
    assert not is_simple("oracle")
    everything = (*EVERY["words"], *EVERY["ocr"], *EVERY["arms"], *EVERY["parsing"], *EVERY["scene"])
    assert all(is_simple(gap.rival) and METHODS[gap.method].rule.by != "truth" for gap in everything)
    assert not any(is_simple(gap.method) for gap in everything)
    assert all(gap.low <= gap.fewer <= gap.high and 0 < gap.share <= 1 for gap in everything)


EVERY = {
    "words": words.evidence(read("budget-ocr-open"), "open").gaps,
    "ocr": words.evidence(read("budget-ocr"), "ocr").gaps,
    "arms": arms.evidence(read("dms-pose"), read("policy-pose")).gaps,
    "parsing": parsing.evidence(read("parsing")).gaps,
    "scene": scene.evidence(read("dms-scene")).gaps,
}


def test_words_agree_with_the_means_of_all_folds():
    result = read("budget-ocr")
    rows = {
        (row["method"], round(row["cost_units"] / 2, 4)): row["char_error"]
        for row in result["rows"]
        if row["level"] == "letter" and row["q"] == 0 and row["experiment"] == "policy-ocr"
    }
    gaps = [gap for gap in EVERY["ocr"] if (gap.method, gap.rival) == ("dms_pi", "uniform")]
    assert len(gaps) == 14
    for one in gaps:
        share = min({at for _, at in rows}, key=lambda at: abs(at - one.share))
        assert one.fewer == pytest.approx(
            rows["uniform by tiers", share] - rows["q-learning", share], abs=0.02
        )


def test_parsing_and_pictures_repeat_what_the_results_compare():
    row = next(
        row for row in read("parsing")["compared"] if (row["data"], row["policy"]) == ("ewt", "dms_pi")
    )
    (margin,) = [
        gap
        for gap in EVERY["parsing"]
        if (gap.method, gap.rival, gap.share) == ("dms_pi", "uniform", row["features_share"])
    ]
    assert (margin.fewer, margin.low, margin.high) == (row["minus_uniform"], *row["minus_uniform_interval"])
    points = read("dms-scene")["compared"][0]
    assert EVERY["scene"][0].fewer == -points["points"]
    assert [EVERY["scene"][0].high, EVERY["scene"][0].low] == [-end for end in points["interval"]]
