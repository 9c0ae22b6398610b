"""Numbers of the budget pages for tours' sentences, counted as the views count them (trade_core.js)."""

from collections.abc import Callable
from typing import Literal

import numpy as np

from spcviz.problems.budgets.shown import PolicyTrace, PolicyWord, Purchases, TradeOff


def batch(trade_off: TradeOff, state: dict) -> dict[str, str]:
    """Results of every method on a batch within the budget of the Trade-off page's `state`, as texts."""
    full = getattr(trade_off, f"full_{state['kind']}")
    budget = min(max(state["budget"], 0.0), 1.0) * full
    count = counter(trade_off)
    counts = {m.name: str(wrong_at(m, state["kind"], budget, count)) for m in trade_off.methods}
    facts = {f"wrong_{name}": wrong for name, wrong in counts.items()}
    chosen = next((m for m in trade_off.methods if m.name == state["method"]), trade_off.methods[0])
    facts |= {"wrong": counts[chosen.name], "start": str(wrong_at(chosen, state["kind"], -1.0, count))}
    things = trade_off.n_faults * sum(map(len, trade_off.truths))
    facts |= {"things": str(things), "chains": str(len(trade_off.truths))}
    if rival := counts.get("uniform"):
        facts["fewer"] = str(abs(int(rival) - int(facts["wrong"])))
    return facts


def batch_values(trade_off: TradeOff, state: dict) -> dict:
    """The same numbers for the checks of tasks, and the result of the visitor's own purchases."""
    texts = batch(trade_off, state)
    count = counter(trade_off)
    wrong, spent = by_hand(trade_off, state, count)
    numbers = {name: int(text) for name, text in texts.items() if name.startswith("wrong")}
    rule = next((m.label for m in trade_off.methods if m.name == state["method"]), "")
    return numbers | {"start": int(texts["start"]), "rule": rule, "hand_wrong": wrong, "hand_spent": spent}


def by_hand(trade_off: TradeOff, state: dict, count: Callable) -> tuple[int, float]:
    """(number wrong, spent) of the chains in ``picks``, one tier up each time; picks that do not fit are
    left out, as in the component."""
    kind = state["kind"]
    budget = min(max(state["budget"], 0.0), 1.0) * getattr(trade_off, f"full_{kind}")
    cost, spent = getattr(trade_off, f"hand_{kind}"), float(getattr(trade_off, f"hand_base_{kind}"))
    level = [0] * len(trade_off.truths)
    for chain in parse_picks(state["picks"]):
        if chain >= len(level) or level[chain] + 1 >= len(trade_off.tier_names):
            continue
        price = float(cost[level[chain] + 1][chain])
        if spent + price <= budget + 1e-9 * max(1.0, abs(budget)):
            level[chain], spent = level[chain] + 1, spent + price
    wrong = sum(count(chain, trade_off.hand_readings[tier][chain]) for chain, tier in enumerate(level))
    return wrong, spent


def parse_picks(picks: str) -> list[int]:
    """Chains of the address, in order: ``"8.n"`` is 8 and 23.

    >>> parse_picks("8.n"), parse_picks("")
    ([8, 23], [])
    """
    return [int(chain, 36) for chain in picks.split(".") if chain]


def wrong_at(method: Purchases, kind: Literal["units", "us"], budget: float, count: Callable) -> int:
    """Number wrong when a method has bought all that fits, in its order; `count` takes (chain, reading)."""
    spent = getattr(method, f"base_{kind}") + np.cumsum(getattr(method, kind))
    n = int(np.searchsorted(spent, budget + 1e-9 * max(1.0, abs(budget)), side="right"))
    readings = list(method.start_readings)
    for chain, reading in zip(method.chain[:n], method.readings[:n]):
        readings[chain] = reading
    return sum(count(chain, reading) for chain, reading in enumerate(readings))


def counter(trade_off: TradeOff) -> Callable[[int, str], int]:
    """A function of (chain, reading) that counts what is wrong in the reading."""
    start = np.concatenate([[0], np.cumsum([len(truth) for truth in trade_off.truths])])
    bits = np.bitwise_count(np.asarray(trade_off.faults, np.uint8))
    index = {symbol: k for k, symbol in enumerate(trade_off.alphabet)}

    def count(chain, reading):
        parts = start[chain] + np.arange(len(reading))
        return int(bits[parts, [index[symbol] for symbol in reading]].sum())

    return count


def step_at(trace: PolicyTrace, kind: Literal["units", "us"], budget: float) -> int:
    """The last state of a method that a budget reaches."""
    return int(np.flatnonzero(getattr(trace, kind) <= budget + 1e-9 * max(1.0, budget))[-1])


def cut_off(policy_word: PolicyWord, kind: Literal["units", "us"], share: float) -> PolicyWord:
    """A word with every method's purchases within a share of the full cost, and none after it."""
    budget, traces = share * getattr(policy_word, f"full_{kind}"), []
    for trace in policy_word.traces:
        n = step_at(trace, kind, budget) + 1
        kept = {name: values[:n] for name, values in trace._asdict().items() if not isinstance(values, str)}
        traces.append(trace._replace(**kept | {"position": trace.position[: n - 1]}))
    return policy_word._replace(traces=tuple(traces))


def word(policy_word: PolicyWord, state: dict) -> dict[str, str]:
    """Results of every policy on a word within the budget of the Policy page's `state`, as named texts."""
    kind = state["kind"]
    budget = state["spend"] * getattr(policy_word, f"full_{kind}")
    facts = {"word": policy_word.truth, "length": str(len(policy_word.truth))}
    facts["start"] = policy_word.traces[0].readings[0]
    for trace in policy_word.traces:
        step = step_at(trace, kind, budget)
        facts[f"reading_{trace.name}"] = trace.readings[step]
        facts[f"spent_{trace.name}"] = _money(getattr(trace, kind)[step], kind)
        facts[f"messages_{trace.name}"] = str(int(trace.messages[step]))
        facts[f"all_{trace.name}"] = str(int(trace.full_messages[step]))
    return facts


def _money(amount, kind):
    if kind == "us":
        return f"{amount / 1000:.2f} ms"
    return f"{round(float(amount), 1):g} unit{'' if round(float(amount), 1) == 1 else 's'}"


def word_values(policy_word: PolicyWord, state: dict) -> dict:
    """The same results for the checks of the Policy page's tasks, with amounts as numbers."""
    kind = state["kind"]
    budget = state["spend"] * getattr(policy_word, f"full_{kind}")
    values = {"word": policy_word.truth, "start": policy_word.traces[0].readings[0]}
    for trace in policy_word.traces:
        step = step_at(trace, kind, budget)
        values[f"reading_{trace.name}"] = trace.readings[step]
        values[f"spent_{trace.name}"] = float(getattr(trace, kind)[step])
        values[f"messages_{trace.name}"] = int(trace.messages[step])
    return values
