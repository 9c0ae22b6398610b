"""The Trade-off view under node: its arithmetic of purchases against that of Python."""

import numpy as np
import pytest

from spcviz.problems.arms.page import cached
from spcviz.problems.arms.shown import ArmPictures
from spcviz.problems.budgets.shown import PolicyTrace, PolicyWord, Purchases, TradeOff
from spcviz.problems.budgets.view.component import batch_part
from spcviz.problems.words.view.component import word_part
from tests.node import needs_node, run_node

LETTERS = "abcd"


def batch(rng, n_words=7, n_tiers=3):
    """Random words whose readings and purchases come from no model."""
    lengths = rng.integers(1, 6, n_words)
    faults = rng.integers(0, 4, (lengths.sum(), len(LETTERS))).astype(np.uint8)

    def word(length):
        return "".join(rng.choice(list(LETTERS), length))

    truths = tuple(word(n) for n in lengths)
    n = 25
    where = rng.integers(0, n_words, n)
    position = np.array([rng.integers(-1, lengths[w]) for w in where])
    sequence = Purchases(
        "queue",
        "Queue",
        "",
        tuple(word(m) for m in lengths),
        0.0,
        30.0,
        where,
        position,
        rng.integers(1, n_tiers, n),
        rng.integers(0, 3, n).astype(float),
        rng.uniform(0, 50, n).round(3),
        tuple(word(lengths[w]) for w in where),
    )
    hand = tuple(tuple(word(m) for m in lengths) for _ in range(n_tiers))
    units = np.vstack([np.zeros(n_words), rng.integers(0, 4, (n_tiers - 1, n_words))])
    return TradeOff(
        "words",
        np.arange(n_words),
        truths,
        LETTERS,
        faults,
        ("a", "b", "c"),
        ("a", "b", "c"),
        20.0,
        900.0,
        0.0,
        5.0,
        units,
        10 * units,
        hand,
        (sequence,),
    )


def wrong(chains, readings):
    states = [LETTERS.index(symbol) for reading in readings for symbol in reading]
    return sum(int(bits).bit_count() for bits in chains.faults[np.arange(len(states)), states])


def sent(chains):
    """A batch as the browser receives it."""
    return batch_part(chains)


# Goes before each `body` that takes batches: the component itself adds the readings that did not change.
UNPACK = """
    for (const batch of data.batches || [data.batch]) batch.methods = batch.methods.map(core.withReadings);
"""


def bought(chains, method, kind, budget):
    """(spent, letters wrong, tiers) of a sequence under a budget, one purchase after the other."""
    starts = np.concatenate([[0], np.cumsum([len(t) for t in chains.truths])])
    tiers, readings = np.zeros(starts[-1], int), list(method.start_readings)
    spent = method.base_units if kind == "units" else method.base_us
    for w, p, t, cost, reading in zip(
        method.chain, method.position, method.tier, getattr(method, kind), method.readings
    ):
        if spent + cost > budget + 1e-9:
            break
        spent += cost
        readings[w] = reading
        tiers[slice(starts[w], starts[w + 1]) if p < 0 else starts[w] + p] = t
    return spent, wrong(chains, readings), tiers.tolist()


@needs_node
@pytest.mark.parametrize("kind", ["units", "us"])
def test_purchases_are_those_that_fit(tmp_path, kind):
    rng = np.random.default_rng(3)
    cases = [batch(rng) for _ in range(20)]
    budgets = np.linspace(0, 30 if kind == "units" else 700, 11).tolist()
    body = (
        UNPACK
        + """
    process.stdout.write(JSON.stringify(data.batches.map((batch) => data.budgets.map((budget) => {
      const start = core.offsets(batch.truths);
      const state = core.stateAt(batch, start, batch.methods[0], data.kind, budget);
      return [state.spent, state.wrong, Array.from(state.tiers)];
    }))));"""
    )
    payloads = [sent(case) for case in cases]
    seen = run_node(
        tmp_path,
        "problems/budgets/view/trade_core.js",
        body,
        {"batches": payloads, "budgets": budgets, "kind": kind},
    )
    for case, row in zip(cases, seen):
        (queue,) = case.methods
        for budget, (spent, errors, tiers) in zip(budgets, row):
            want = bought(case, queue, kind, budget)
            assert spent == pytest.approx(want[0])
            assert (errors, tiers) == want[1:]
            assert spent <= max(budget, queue.base_us if kind == "us" else 0) + 1e-6


@needs_node
def test_curves_pass_through_every_state_and_hands_never_overspend(tmp_path):
    rng = np.random.default_rng(4)
    chains = batch(rng)
    picks = [*rng.integers(0, 7, 10).tolist(), *range(7), *range(7)]
    body = (
        UNPACK
        + """
    const start = core.offsets(data.batch.truths), method = data.batch.methods[0];
    process.stdout.write(JSON.stringify({
      curve: core.curveOf(data.batch, start, method, "us"),
      hands: [0, 3, 8, 1e9].map((budget) => {
        const s = core.handState(data.batch, start, data.picks, "units", budget);
        return [s.spent, s.wrong, core.tierCounts(s, 3)];
      }),
      blocked: core.canPick(data.batch, start, [], 0, "units", -1),
    }));"""
    )
    seen = run_node(
        tmp_path, "problems/budgets/view/trade_core.js", body, {"batch": sent(chains), "picks": picks}
    )
    for cost, errors in seen["curve"]:
        assert bought(chains, chains.methods[0], "us", cost + 1e-6)[1] == errors
    assert [spent <= budget for (spent, _, _), budget in zip(seen["hands"], [0, 3, 8, 1e9])] == [True] * 4
    assert seen["hands"][-1][1] == wrong(chains, chains.hand_readings[2])
    assert seen["hands"][-1][2] == [0, 0, sum(map(len, chains.truths))]
    assert seen["blocked"] is False


@needs_node
def test_two_joints_of_a_part_count_one_by_one(tmp_path):
    body = """
    const start = core.offsets(data.batch.truths);
    process.stdout.write(JSON.stringify([
      [0, 1, 2, 3].map(core.countBits),
      data.batch.truths.map((t, w) => [...t].map((_, i) => core.faultsOf(data.batch, start, w, i, t))).flat(),
    ]));"""
    chains = batch(np.random.default_rng(5))
    counted, bits = run_node(
        tmp_path, "problems/budgets/view/trade_core.js", UNPACK + body, {"batch": sent(chains)}
    )
    assert counted == [0, 1, 1, 2]
    states = [LETTERS.index(c) for truth in chains.truths for c in truth]
    assert bits == chains.faults[np.arange(len(states)), states].tolist()


def test_arms_bring_their_pictures_and_joints():
    n = 7
    joints, truth = np.full((n, 4, 3, 2), -3.4), np.full((n, 3, 2), 250.0)
    arms = ArmPictures(np.zeros(2, int), np.arange(2), ("data:,",), joints, truth)
    payload = cached.pack(arms)
    assert len(cached.COLOURS["light"]) == 4
    assert payload["sheets"] == ["data:,"]
    numbers = payload["joints"]
    assert (numbers == -3).all()
    assert numbers.dtype == np.int16
    assert numbers.size == n * 4 * 6


@needs_node
def test_the_policy_cursor_stops_at_the_last_affordable_purchase(tmp_path):
    n, length = 6, 3
    trace = PolicyTrace(
        "p",
        "P",
        "",
        np.zeros((n + 1, length), int),
        ("abc",) * (n + 1),
        np.full((n + 1, length), np.nan),
        np.zeros(n, int),
        np.arange(n + 1.0),
        np.cumsum(np.full(n + 1, 7.5)),
        np.full((n + 1, 2), -1),
        np.full((n + 1, 2), -1),
        np.zeros(n + 1, int),
        np.zeros(n + 1, int),
    )
    word = PolicyWord(0, "abc", np.zeros((length, 16, 8), np.uint8), ("a", "b", "c"), 6.0, 60.0, (trace,))
    body = """
    const trace = data.word.traces[0];
    process.stdout.write(JSON.stringify(data.budgets.map((b) => core.stepAt(trace, "us", b))));"""
    payload = word_part(word)
    assert payload["traces"][0]["values"][0] == [None] * length
    seen = run_node(
        tmp_path,
        "problems/words/view/policy_core.js",
        body,
        {"word": payload, "budgets": [0, 7.5, 14.9, 15, 1e9]},
    )
    assert seen == [0, 0, 0, 1, n]
