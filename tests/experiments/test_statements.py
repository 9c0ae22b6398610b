"""Statements: the rules, rows recomputed by other code, and verdicts that follow the numbers."""

import copy
import json
import math
from functools import cache

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from experiments.statements import OWN, PAPERS, pages, rules
from experiments.statements.evidence import Evidence
from experiments.statements.readings import VARIANTS, count, in_words, on_their_data, read, sensitivity
from experiments.statements.rules import (
    ALL,
    BESIDE,
    FAILS,
    HOLDS,
    MOST,
    OPEN,
    SMALLER,
    Estimate,
    Part,
    Rules,
    direction,
    exactly,
    faster,
    level,
    no_loss,
    over_folds,
    verdict,
)
from spcviz import registry
from spcviz.shared import result_files
from spcviz.shared.folders import RESULTS

EVERY = (*PAPERS, *OWN)
NUMBER = st.floats(-1e6, 1e6)
STATE = st.sampled_from((HOLDS, OPEN, FAILS))


@cache
def result(name):
    return json.loads((RESULTS / f"{name}.json").read_text(encoding="utf-8"))


@cache
def frozen():
    evidence = Evidence()
    return [*read(PAPERS, evidence), *read(OWN, evidence)]


def reading_of(start, readings=None):
    """The reading of the statement that begins so."""
    (one,) = (r for r in readings or frozen() if r.statement.text.startswith(start))
    return one


# ---- rules -----------------------------------------------------------------------------------------------


def test_the_rules_are_frozen():
    assert Rules() == Rules(shares=(10, 20, 50), margin=0.5, ratio=1.25, errors=2.0)


@given(NUMBER, st.floats(0, 1e6))
def test_a_direction_holds_beyond_its_spread_and_fails_below_it(value, half):
    state = direction("a", Estimate(value, value - half, value + half)).state
    assert state == (HOLDS if value - half > 0 else FAILS if value + half < 0 else OPEN)
    opposite = direction("a", -Estimate(value, value - half, value + half)).state
    assert {state, opposite} in ({OPEN}, {HOLDS, FAILS})
    assert direction("a", Estimate(value)).state == OPEN  # no spread, no verdict


def test_no_loss_wants_the_whole_interval_above_the_margin():
    ends = [((-0.5, 0.1), HOLDS), ((-0.51, 0.1), OPEN), ((-0.87, -0.5), FAILS), ((0.2, 0.9), HOLDS)]
    for (low, high), state in ends:
        assert no_loss("a", Estimate(0.0, low, high), 0.5).state == state
    assert no_loss("a", Estimate(0.0), 0.5).state == OPEN


def test_a_level_is_reached_within_its_spread_or_better():
    assert level("a", Estimate(98.4, 98.2, 98.6), 98.54).state == HOLDS
    assert level("a", Estimate(98.4, 98.3, 98.5), 98.54).state == FAILS
    assert level("a", Estimate(99.4, 99.3, 99.5), 98.54).state == HOLDS
    assert level("a", Estimate(80, 60, 100), 73, lower_is_better=True).state == HOLDS
    assert level("a", Estimate(80, 75, 85), 73, lower_is_better=True).state == FAILS
    assert level("a", Estimate(80), 73).state == OPEN


def test_times_near_each_other_decide_nothing_and_less_than_printed_is_smaller():
    assert [faster("a", Estimate(ratio), Rules()).state for ratio in (1.25, 1.24, 0.81, 0.8)] == [
        HOLDS,
        OPEN,
        OPEN,
        FAILS,
    ]
    assert faster("a", Estimate(16.8), Rules(), 100) == Part("a", HOLDS, True)
    assert direction("a", Estimate(1.0, 0.5, 1.5), 2.5, 2.0).is_smaller
    assert not direction("a", Estimate(1.0, 0.5, 1.5), 2.5, 2.5).is_smaller
    assert not direction("a", Estimate(0.0, -0.5, 0.5), 2.5, 2.0).is_smaller


def of(*states, smaller=False):
    return [Part(str(i), state, smaller) for i, state in enumerate(states)]


@pytest.mark.parametrize(
    ("states", "all_", "most"),
    [
        ((HOLDS, HOLDS), HOLDS, HOLDS),
        ((HOLDS, OPEN), SMALLER, HOLDS),
        ((HOLDS, OPEN, OPEN), OPEN, OPEN),
        ((OPEN, OPEN), OPEN, OPEN),
        ((HOLDS, HOLDS, FAILS), FAILS, SMALLER),
        ((HOLDS, FAILS), FAILS, FAILS),
        ((OPEN, OPEN, FAILS), FAILS, OPEN),
        ((FAILS,), FAILS, FAILS),
        ((BESIDE, BESIDE), BESIDE, BESIDE),
    ],
)
def test_parts_come_to_a_verdict(states, all_, most):
    assert (verdict(of(*states), ALL), verdict(of(*states), MOST)) == (all_, most)
    for needs in (ALL, MOST):
        if verdict(of(*states), needs) == HOLDS:
            assert verdict(of(*states, smaller=True), needs) == SMALLER


RANK = (FAILS, OPEN, SMALLER, HOLDS)


@given(st.lists(STATE, min_size=1, max_size=6), st.integers(0, 5), st.sampled_from((ALL, MOST)))
def test_a_part_that_holds_instead_never_makes_a_verdict_worse(states, at, needs):
    better = [HOLDS if i == at % len(states) else state for i, state in enumerate(states)]
    assert RANK.index(verdict(of(*better), needs)) >= RANK.index(verdict(of(*states), needs))


def test_what_a_sentence_needs_is_named():
    with pytest.raises(ValueError, match="needs must be 'all' or 'most', got 'some'"):
        verdict(of(HOLDS), "some")


def test_the_spread_over_folds_is_two_standard_errors_of_the_mean():
    one = over_folds([1.0, 2.0, 3.0, 6.0], Rules())
    assert one.half == pytest.approx(2 * math.sqrt(14 / 3 / 4))
    assert over_folds([1.0], Rules()) == Estimate(1.0)


# ---- rows ------------------------------------------------------------------------------------------------


def test_rows_are_short_and_their_results_exist():
    texts = [one.text for one in EVERY]
    assert len(set(texts)) == len(texts)
    known = {*registry.results(), "bench-engine"}
    for one in EVERY:
        assert len(one.text.split()) <= 15, one.text
        assert one.results
        assert set(one.results) <= known
        assert one.needs in (ALL, MOST)
    for reading in frozen():
        assert len(reading.found.note.split()) <= 22, (len(reading.found.note.split()), reading.found.note)
        assert len(reading.found.brief) <= 60, reading.found.brief
        texts = (reading.found.here, reading.found.spread, reading.found.note, reading.found.brief)
        assert not {"nan", "inf", "None"} & set(" ".join(texts).replace(",", " ").split()), texts


def test_the_documents_come_in_their_order_and_no_verdict_has_no_spread():
    order = ("thesis 4", "thesis 5", "thesis 6", "thesis 7", "Bolukbasi", "SpeedMachines")
    sources = [
        one.source.replace("thesis Table 4", "thesis 4").replace("thesis Fig. ", "thesis ") for one in PAPERS
    ]
    sources = [source.replace("thesis Table 7", "thesis 7") for source in sources]
    places = [next(i for i, start in enumerate(order) if source.startswith(start)) for source in sources]
    assert places == sorted(places)
    for reading in frozen():
        spread = reading.found.spread
        how = ("±", "[", "exact", "rule RT", "not stored")
        assert any(word in spread for word in how), (reading.statement.text, spread)
        if "not stored" in spread and not any(word in spread for word in ("±", "[", "2 se")):
            assert reading.verdict == OPEN


def folds_of(run, order, key):
    """A column of ocr-orders by plain loops."""
    return {
        fold["fold"]: row[key]
        for fold in result("ocr-orders")["fold_rows"]
        for row in fold["rows"]
        if (row["features"], row["run"], row["order"]) == ("raw", run, order)
    }


def mean_and_half(differences):
    n = len(differences)
    mean = sum(differences) / n
    return mean, 2 * math.sqrt(sum((d - mean) ** 2 for d in differences) / (n - 1) / n)


def test_gains_under_a_stricter_tolerance_by_hand():
    for run, order in (("word 0.5", 5), ("word 0.25", 6)):
        strict, loose = folds_of(run, order, "word_accuracy"), folds_of("word 1", order, "word_accuracy")
        mean, half = mean_and_half([strict[fold] - loose[fold] for fold in strict])
        found = reading_of("Orders 5 and 6").found
        assert f"{mean:+.2f}" in found.here
        assert f"{half:.2f}" in found.spread


def test_letters_against_words_by_hand():
    curves = {"letter": {}, "word": {}}
    for fold in result("budget-ocr")["fold_rows"]:
        for row in fold["rows"]:
            if (row["experiment"], row["method"], row["q"], row["scale"]) == (
                "policy-ocr",
                "q-learning",
                0.0,
                "range",
            ):
                curves[row["level"]][fold["fold"]] = row
    found = reading_of("Buying letter by letter").found
    for share in (10, 20, 50):
        gaps = []
        for fold, word in curves["word"].items():
            letter = curves["letter"][fold]
            gaps.append(
                np.interp(share, word["features_share"], word["error"])
                - np.interp(share, letter["features_share"], letter["error"])
            )
        mean, half = mean_and_half(gaps)
        assert f"{mean:.2f}" in found.here
        assert f"{half:.2f}" in found.spread


def test_depths_bought_by_hand():
    found = reading_of("Anytime, expensive").found
    for data in ("wsj", "ewt"):
        (row,) = (
            r
            for r in result("parsing")["depth"]
            if (r["data"], r["policy"], r["features_share"]) == (data, "anytime", 0.3)
        )
        totals = [words / share for words, share in zip(row["words"], row["bought"], strict=True)]
        near = sum(row["words"][:3]) / sum(totals[:3])
        far = sum(row["words"][3:]) / sum(totals[3:])
        assert f"{100 * (near - far):+.1f}" in found.here
    assert [part.state for part in found.parts] == [HOLDS, HOLDS]


def test_a_filter_of_more_bigrams_by_hand():
    rows = result("tagging")["equal"]
    wanted = {"features": "full", "filter": "cascade", "target": 5.0, "method": "crf"}
    more = {r["data"]: r for r in rows if wanted.items() <= r.items()}
    parts = {
        part.label: part.state for part in reading_of("SPC leaves fewer bigrams than the CRF").found.parts
    }
    assert more["ewt"]["pairs_more_high"] < 0
    assert parts["EWT"] == FAILS
    assert more["wsj"]["pairs_more_low"] < 0 < more["wsj"]["pairs_more_high"]
    assert parts["WSJ"] == OPEN


# ---- verdicts follow the numbers -------------------------------------------------------------------------


def put(key, value, table="rows", **wanted):
    """Write a value into all rows that have these values."""

    def change(content):
        rows = [row for row in content[table] if wanted.items() <= row.items()]
        assert rows
        for row in rows:
            row[key] = value

    return change


def at(*path, to):
    """Write a value somewhere."""

    def change(node):
        for key in path[:-1]:
            node = node[key]
        assert node[path[-1]] != to
        node[path[-1]] = to

    return change


def fewer_n_grams(content):
    for fold in content["fold_rows"]:
        for row in fold["rows"]:
            row["n_grams_in"], row["filter_loss"] = 1.0, 0.1


def crf_keeps_more(content):
    about = {"features": "full", "filter": "cascade", "target": 5.0, "method": "crf"}
    for key, number in (("pairs_more", 5.0), ("pairs_more_low", 1.0), ("pairs_more_high", 9.0)):
        put(key, number, "equal", **about)(content)


def clear(rival, sign):
    def change(content):
        gaps = content["summary"]["signs"]["q_learning_minus"][rival]
        for speed in gaps:
            gaps[speed] = [[5.0 * sign] * 2, [0.1, 0.1]]

    return change


def no_oldest(content):
    for row in content["centres"]:
        row["LBP"] = 0


def paired_words(content):
    for row in content["rows"]:
        row |= {"right_minus_spc_low": 0.6, "right_minus_spc_high": 0.9}


def heads_lost(low, high):
    return put("minus_full_interval", [low, high], "compared", is_chosen=True)


CASES = [
    ("ocr-orders", "Filters leave", FAILS, fewer_n_grams, HOLDS),
    ("tagging", "SPC leaves fewer bigrams than the CRF", FAILS, crf_keeps_more, HOLDS),
    ("tagging", "SPC tags as many", HOLDS, paired_words, FAILS),
    ("tagging", "SPC's inference takes", SMALLER, put("us_inference", 0.01, method="spc"), HOLDS),
    ("grid", "The ensemble errs less", HOLDS, put("gap", -0.1, "gaps", method="lbp", k=2), FAILS),
    ("grid", "The ensemble errs less", HOLDS, put("gap", 0.0, "gaps", method="lbp", k=2), SMALLER),
    ("pose-ensemble", "The ensemble never", FAILS, put("n_broken", 0), HOLDS),
    ("dms-ocr", "Choosing models", HOLDS, at("summary", "speedup_units", to=2.0), SMALLER),
    ("dms-ocr", "Choosing models", HOLDS, at("summary", "chosen_minus_final", to=0.0), OPEN),
    ("dms-ocr", "Choosing models", HOLDS, at("summary", "chosen_minus_final", to=0.4), FAILS),
    ("policy-pose", "Arms: buying frame", OPEN, clear("q-learning, whole clips", -1), HOLDS),
    ("policy-pose", "Arms: Q-learning", OPEN, clear("imitation", -1), HOLDS),
    ("policy-theorems", "Theorems", HOLDS, put("violations", 1, theorem="2.3"), FAILS),
    ("parsing", "Half of the", FAILS, heads_lost(-0.4, 0.1), HOLDS),
    ("parsing", "Half of the", FAILS, heads_lost(-0.9, 0.1), OPEN),
    ("scene", "SIM takes SHAPE", FAILS, no_oldest, HOLDS),
    ("scene", "At each fixed", OPEN, put("at_its_time", {"interval": [-0.1, 0.2]}, "compared"), HOLDS),
    ("scene", "At each fixed", OPEN, put("at_its_time", {"interval": [-3.0, -0.2]}, "compared"), FAILS),
    ("dms-scene", "Street pictures", FAILS, put("interval", [-3.4, -0.4], "compared"), HOLDS),
    ("bench-engine", "Exact Viterbi", HOLDS, put("ratio", 1.1, contender="python-crfsuite"), OPEN),
]  # fmt: skip


@pytest.mark.parametrize(("name", "start", "before", "change", "after"), CASES)
def test_a_verdict_follows_its_numbers(name, start, before, change, after):
    statements = [one for one in EVERY if one.text.startswith(start)]
    assert name in statements[0].results
    assert reading_of(start).verdict == before
    changed = copy.deepcopy(result(name))
    change(changed)
    evidence = Evidence(lambda asked: changed if asked == name else result(asked))
    assert read(statements, evidence)[0].verdict == after


def test_a_result_that_is_not_stored_leaves_its_statements_open():
    evidence = Evidence(lambda name: None if name == "grid" else result(name))
    readings = read(PAPERS, evidence)
    of_grid = [reading for reading in readings if "grid" in reading.statement.results]
    assert len(of_grid) == 3
    for reading in of_grid:
        assert reading.verdict == OPEN
        assert "python -m spcviz reproduce grid" in reading.found.spread


@pytest.mark.parametrize("change", [at("gaps", to=[]), at("agreement", "by_k", to="x"), at("rows", to=[{}])])
def test_a_damaged_result_is_refused_by_its_name_or_said_to_be(change):
    damaged = copy.deepcopy(result("grid"))
    change(damaged)

    def load(name):
        return damaged if name == "grid" else result(name)

    with pytest.raises(result_files.ResultError, match=r"grid\.json .*python -m spcviz reproduce grid"):
        read(PAPERS, Evidence(load))
    readings = read(PAPERS, Evidence(load), is_strict=False)
    said = [reading for reading in readings if "grid.json is damaged" in reading.found.here]
    assert 0 < len(said) <= 3
    assert {reading.verdict for reading in said} == {OPEN}


# ---- counts and pages ------------------------------------------------------------------------------------


def test_counts_add_up():
    papers = frozen()[: len(PAPERS)]
    tally = count(papers)
    assert sum(tally.values()) == len(PAPERS)
    assert tuple(tally) == rules.VERDICTS
    numbers = [int(part.split()[0]) for part in in_words(papers).split(", ")]
    assert numbers == [n for n in tally.values() if n]
    assert all(reading.statement.same_data.startswith("yes") for reading in on_their_data(papers))


def test_other_rules_move_verdicts_and_are_listed():
    table = sensitivity(PAPERS, Evidence())
    assert [name for name, _, _ in table] == list(VARIANTS)
    assert table[0][2] == []
    moved = {name: dict.fromkeys(number for number, _, _ in moves) for name, _, moves in table}
    assert any(moved.values())
    text = pages.sensitivity_table("Papers", table)
    assert len(text.splitlines()) == 2 + len(VARIANTS)


def test_the_front_has_a_row_for_each_entry_and_no_wide_cell():
    papers, own = frozen()[: len(PAPERS)], frozen()[len(PAPERS) :]
    rows = [
        line.strip("| ").split(" | ")
        for line in pages.front(papers, own).splitlines()
        if line.startswith("| ")
    ]
    assert len(rows) == 1 + len(pages.FRONT) == 15
    assert max(len(cell) for row in rows for cell in row) <= 60
    assert {row[1].partition(" (")[0] for row in rows[1:]} <= set(rules.VERDICTS)


def test_the_table_of_the_page_is_escaped_and_links_its_results():
    one = frozen()[0]
    bad = one._replace(statement=one.statement._replace(text="<b>|", changed="a rule was changed"))
    page = pages.table_html([bad])
    assert "&lt;b&gt;|" in page
    assert './tables?table=ocr-orders"' in page
    assert "a rule was changed" in page
    assert (
        pages.markdown([bad], lambda name: f"#{name}")
        .splitlines()[-1]
        .startswith("| 1 | [<b>\\|](#ocr-orders)")
    )


def test_exact_counts_hold_or_fail():
    assert [exactly("a", is_so).state for is_so in (True, False)] == [HOLDS, FAILS]
