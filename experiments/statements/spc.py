"""Statements about structured prediction cascades: thesis chapter 4, Weiss and Taskar, Luo."""

from experiments.statements.evidence import (
    PAIRED,
    Evidence,
    Found,
    Rows,
    halves,
    interval,
    row_of,
    signed,
    values,
)
from experiments.statements.rules import ALL, MOST, Estimate, direction, faster, level, no_loss

ROWS = Rows()
_DATA = {"wsj": "WSJ", "ewt": "EWT"}
_OTHER = "same task, other data"
_N_GRAMS = {2: 127.97, 3: 101.84, 4: 18.80, 5: 82.12, 6: 73.36}
_LOST = {2: 0.50, 3: 0.73, 4: 1.00, 5: 0.75, 6: 0.57}


@ROWS.add(
    "Each higher order reads more letters and words, up to 98.5 and 96.2 %",
    source="thesis 4.5.2, Table 4.3", paper="letters 77.35 to 98.54, words 26.74 to 96.16 %",
    same_data="yes", needs=ALL, results=("ocr-orders",),
    where="fold_rows raw, runs word 1 (orders 1 to 4), word 0.5 (5), word 0.25 (6): char_, word_accuracy",
)  # fmt: skip
def _more_with_each_order(ev: Evidence) -> Found:
    what = {"letters": "char_accuracy", "words": "word_accuracy"}
    steps = {
        f"{name} {order}": ev.folds(ev.order(order, key) - ev.order(order - 1, key))
        for name, key in what.items()
        for order in range(2, 7)
    }
    first = {name: ev.order(1, key).mean() for name, key in what.items()}
    last = {name: ev.folds(ev.order(6, key)) for name, key in what.items()}
    least = min(steps, key=lambda name: steps[name].value / steps[name].half)
    return Found(
        " / ".join(f"{first[name]:.2f} to {last[name].value:.2f}" for name in what) + " %",
        f"{halves(list(last.values()))}; least step ({least}) {signed(steps[least])} ({PAIRED})",
        [direction(name, step) for name, step in steps.items()]
        + [level("letters 6", last["letters"], 98.54), level("words 6", last["words"], 96.16)],
        "tolerance counted in words (Definition 1); passes raised once after a look at fold 8",
        f"{first['words']:.1f} to {last['words'].value:.1f} ± {last['words'].half:.1f} %",
    )


@ROWS.add(
    "Filters leave as few n-grams, and lose as few words, as printed",
    source="thesis Table 4.3; Luo 5.1",
    paper="orders 2 to 6: 128, 102, 18.8, 82, 73; lost 0.50, 0.73, 1.00, 0.75, 0.57 %",
    same_data="yes", needs=ALL, results=("ocr-orders",),
    where="the same rows: n_grams_in; filter_loss (words, all filters before this order)",
)  # fmt: skip
def _few_n_grams(ev: Evidence) -> Found:
    left = {order: ev.folds(ev.order(order, "n_grams_in")) for order in _N_GRAMS}
    lost = {order: ev.folds(ev.order(order, "filter_loss")) for order in _N_GRAMS}
    one = [ev.order(6, key, "word 1").mean() for key in ("n_grams_in", "filter_loss", "word_accuracy")]
    return Found(
        f"{', '.join(f'{n.value:,.0f}' for n in left.values())}; lost {values(lost.values())} %",
        f"order 6: ± {left[6].half:.0f} and ± {lost[6].half:.2f} ({PAIRED})",
        [level(f"n-grams {n}", left[n], _N_GRAMS[n], lower_is_better=True) for n in left]
        + [level(f"loss {n}", lost[n], _LOST[n], lower_is_better=True) for n in lost],
        f"at tolerance 1 % order 6 has {one[0]:.1f} n-grams, {one[1]:.1f} % lost, {one[2]:.1f} % of "
        "words right",
        f"{left[6].value:,.0f} ± {left[6].half:.0f}, {lost[6].value:.2f} % of words lost",
    )


@ROWS.add(
    "Orders 5 and 6 gain words only under a stricter tolerance",
    source="thesis 4.5.2", paper="tolerance 1 % to 0.5 and 0.25 %",
    same_data="yes", needs=ALL, results=("ocr-orders",),
    where="the same rows, word_accuracy: order's own run less run word 1; run word 1 less its order 4",
)  # fmt: skip
def _only_if_stricter(ev: Evidence) -> Found:
    words = {n: ev.order(n, "word_accuracy", "word 1") for n in (4, 5, 6)}
    strict = {n: ev.folds(ev.order(n, "word_accuracy") - words[n]) for n in (5, 6)}
    loose = {n: ev.folds(words[n] - words[4]) for n in (5, 6)}
    return Found(
        f"{strict[5].value:+.2f} and {strict[6].value:+.2f} points; at 1 % orders 5 and 6 less order 4 "
        f"{loose[5].value:+.2f} and {loose[6].value:+.2f}",
        f"{halves([*strict.values(), *loose.values()])} ({PAIRED})",
        [direction(f"order {n}", gain) for n, gain in strict.items()]
        + [no_loss(f"order {n} at 1 %", -gain, ev.rules.margin) for n, gain in loose.items()],
        "“only”: at 1 % no gain above half a point",
    )


def _rows(ev):
    return {(r["data"], r["method"]): r for r in ev["tagging"]["rows"] if r["features"] == "full"}


def _right_minus_full(ev, data):
    """Points by which SPC has more words right than the full model, with an interval."""
    spc, full = (_rows(ev)[data, method] for method in ("spc", "full"))
    gap = spc["accuracy"] - full["accuracy"]
    if "right_minus_spc_low" in full:
        return Estimate(gap, -full["right_minus_spc_high"], -full["right_minus_spc_low"])
    half = sum((r["accuracy_high"] - r["accuracy_low"]) ** 2 / 4 for r in (spc, full)) ** 0.5
    word = full["right_against_spc"]  # what a paired bootstrap said, 95 %
    low = 0.0 if word == "fewer" else gap - half
    return Estimate(gap, low, 0.0 if word == "more" else gap + half)


@ROWS.add(
    "SPC tags as many words right as the unfiltered trigram model",
    source="thesis Table 4.2", paper="96.82 against 96.83 %",
    same_data=_OTHER, needs=MOST, results=("tagging",),
    where="rows full, methods spc, full: accuracy, right_minus_spc_low, _high (or right_against_spc)",
)  # fmt: skip
def _as_many_right(ev: Evidence) -> Found:
    rows = _rows(ev)
    gaps = {data: _right_minus_full(ev, data) for data in _DATA}
    is_stored = all("right_minus_spc_low" in rows[data, "full"] for data in _DATA)
    how = "95 %, paired" if is_stored else "a paired bootstrap's word, unpaired ends; paired ends not stored"
    both = [f"{rows[d, 'spc']['accuracy']:.2f} / {rows[d, 'full']['accuracy']:.2f}" for d in _DATA]
    here = f"WSJ sample {both[0]}, EWT {both[1]} %"
    return Found(
        here,
        f"SPC less full: {', '.join(interval(gap) for gap in gaps.values())} ({how})",
        [no_loss(_DATA[data], gap, ev.rules.margin) for data, gap in gaps.items()],
        "EWT: every sixth training sentence; test figures of earlier settings had been seen",
        here.replace(" sample", ""),
    )


def _ratios(ev, other, key="us_inference"):
    rows = _rows(ev)
    return {data: rows[data, other][key] / rows[data, "spc"][key] for data in _DATA}


@ROWS.add(
    "SPC's inference takes a hundredth of the full model's time",
    source="thesis Table 4.2", paper="111 times (173.28 / 1.56 ms)",
    same_data="other data and machine", needs=MOST, results=("tagging",),
    where="rows full, us_inference: full / spc",
)  # fmt: skip
def _hundredth(ev: Evidence) -> Found:
    full, crf, tags = (_ratios(ev, other) for other in ("full", "crf", "tags"))
    whole = _ratios(ev, "full", "us_total")
    return Found(
        f"WSJ sample {full['wsj']:.1f}, EWT {full['ewt']:.1f} times",
        "one run: rule RT",
        [faster(_DATA[data], ratio, ev.rules, 100) for data, ratio in full.items()],
        f"with features {whole['wsj']:.1f} and {whole['ewt']:.1f} times; the full model here is vectorised",
        f"WSJ {full['wsj']:.1f}, {crf['wsj']:.1f}, {tags['wsj']:.1f}; "
        f"EWT {full['ewt']:.1f}, {crf['ewt']:.2f}, {tags['ewt']:.1f}",
    )


@ROWS.add(
    "SPC's inference is 2.6 times faster than a CRF filter's, 6.8 than Tags'",
    source="thesis Table 4.2", paper="2.67 and 6.79 times",
    same_data="other data and machine", needs=MOST, results=("tagging",),
    where="rows full, us_inference: crf / spc, tags / spc",
)  # fmt: skip
def _faster_than_filters(ev: Evidence) -> Found:
    crf, tags, rows = _ratios(ev, "crf"), _ratios(ev, "tags"), _rows(ev)
    lost = {method: rows["wsj", method]["sentence_loss"] for method in ("spc", "crf", "tags")}
    return Found(
        f"CRF {crf['wsj']:.2f} (WSJ), {crf['ewt']:.2f} (EWT); Tags {tags['wsj']:.2f}, {tags['ewt']:.2f}",
        "one run: rule RT",
        [faster(f"CRF {_DATA[d]}", ratio, ev.rules, 2.67) for d, ratio in crf.items()]
        + [faster(f"Tags {_DATA[d]}", ratio, ev.rules, 6.79) for d, ratio in tags.items()],
        f"each at its own tolerance; WSJ sentences lost: SPC {lost['spc']:.1f}, CRF {lost['crf']:.1f}, "
        f"Tags {lost['tags']:.1f} %",
    )


def _equal(ev, data, method, target=5.0):
    return row_of(ev["tagging"]["equal"], features="full", filter="cascade", data=data, method=method,
                  target=target)  # fmt: skip


def _more_pairs(row):
    return Estimate(row["pairs_more"], row["pairs_more_low"], row["pairs_more_high"])


@ROWS.add(
    "SPC leaves fewer bigrams than the CRF filter at equal loss",
    source="thesis Table 4.2; Luo 5.2", paper="3.93 against 11.85",
    same_data=_OTHER, needs=MOST, results=("tagging",),
    where="equal full, cascade, target 5: pairs_equal; crf pairs_more, _low, _high",
)  # fmt: skip
def _fewer_than_crf(ev: Evidence) -> Found:
    more = {data: _more_pairs(_equal(ev, data, "crf")) for data in _DATA}
    left = {(d, m): _equal(ev, d, m)["pairs_equal"] for d in _DATA for m in ("spc", "crf")}
    wsj, ewt = (f"{left[d, 'spc']:.{n}f} / {left[d, 'crf']:.{n}f}" for d, n in (("wsj", 2), ("ewt", 1)))
    return Found(
        f"WSJ {wsj}, EWT {ewt}",
        f"CRF's more: WSJ {interval(more['wsj'])}, EWT {interval(more['ewt'])} (95 %)",
        [direction(_DATA[data], advantage) for data, advantage in more.items()],
        "at 5 % of sentences lost; EWT trains on every sixth sentence, and all of them is not stored",
        f"WSJ {wsj}, EWT {ewt}",
    )


@ROWS.add(
    "SPC leaves fewer bigrams than Tags and than a perceptron's filter",
    source="thesis Table 4.2; Luo 5.2", paper="3.93 against 95.4 (Tags)",
    same_data=_OTHER, needs=MOST, results=("tagging",),
    where="equal target 5 (perceptron), target = Tags' loss (spc pairs_equal, _high); rows tags states",
)  # fmt: skip
def _fewer_than_others(ev: Evidence) -> Found:
    parts, first, second, ends, caps, lost = [], [], [], [], [], []
    for data, name in _DATA.items():
        rival, tags = _equal(ev, data, "perceptron"), _rows(ev)[data, "tags"]
        spc = _equal(ev, data, "spc", tags["sentence_loss"])
        more = _more_pairs(rival)
        gap = tags["states"] - spc["pairs_equal"]
        advantage = Estimate(gap, tags["states"] - spc["pairs_equal_high"])
        parts += [direction(f"perceptron {name}", more), direction(f"Tags {name}", advantage)]
        first.append(f"{name} {_equal(ev, data, 'spc')['pairs_equal']:.2f} / {rival['pairs_equal']:.2f}")
        second.append(f"{spc['pairs_equal']:.2f} / {tags['states']:.1f}")
        ends.append(interval(more))
        caps.append(f"{spc['pairs_equal_high']:.2f}")
        lost.append(f"{tags['sentence_loss']:.0f}")
    return Found(
        f"perceptron: {', '.join(first)}; Tags: {', '.join(second)}",
        f"perceptron's more: {', '.join(ends)}; SPC's at most {', '.join(caps)} (95 %)",
        parts,
        f"Tags' filter loses {' / '.join(lost)} % of sentences; compared at that loss",
    )
