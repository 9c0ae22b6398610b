"""Kinds of comparisons that serve only one or two rows of the statements, as their results differ in form."""

from itertools import groupby

import numpy as np

from experiments.statements.kinds import Numbers, kind
from experiments.statements.rules import Estimate


@kind
def steps(ev, names, key, label):
    """ocr-orders: increase of a column from each order to the next."""
    return Numbers((label.format(n), ev.folds(ev.order(n, key) - ev.order(n - 1, key))) for n in range(2, 7))


@kind
def orders(ev, names, key):
    """ocr-orders: a column at orders 2 to 6."""
    return Numbers((f"{n}", ev.folds(ev.order(n, key))) for n in range(2, 7))


@kind
def spc_right(ev, names, rows):
    """tagging: points by which SPC tags more words right than the full model, in ``NAME/rows[data=DATA``."""
    spc, full = (ev.at(f"{rows};features=full;method={m}]") for m in ("spc", "full"))
    gap = spc["accuracy"] - full["accuracy"]
    if "right_minus_spc_low" in full:
        return Estimate(gap, -full["right_minus_spc_high"], -full["right_minus_spc_low"])
    half = sum((r["accuracy_high"] - r["accuracy_low"]) ** 2 / 4 for r in (spc, full)) ** 0.5
    word = full["right_against_spc"]  # verdict of a paired bootstrap, 95 %
    return Estimate(gap, 0.0 if word == "fewer" else gap - half, 0.0 if word == "more" else gap + half)


@kind
def spc_at_tags(ev, names, data, key):
    """tagging: a column of SPC's filter at the same sentence loss as Tags'."""
    lost = ev.at(f"tagging/rows[features=full;data={data};method=tags]/sentence_loss")
    wanted = f"features=full;filter=cascade;data={data};method=spc;target={lost!r}"
    return ev.at(f"tagging/equal[{wanted}]")[key]


@kind
def tags_more(ev, names, data):
    """tagging: bigrams that Tags leaves beyond SPC's at that loss, with the lower end."""
    left = ev.at(f"tagging/rows[features=full;data={data};method=tags]/states")
    ours = [spc_at_tags(ev, names, data, key) for key in ("pairs_equal", "pairs_equal_high")]
    return Estimate(left - ours[0], left - ours[1])


@kind
def lbp(ev, names):
    """grid: error of belief propagation minus the ensemble's, by states kept."""
    rows = [row for row in ev.at("grid/gaps") if row["method"] == "lbp" and row["k"] < 8]
    return Numbers((f"K = {row['k']}", ev.estimate(row["gap"], row["stderr"])) for row in rows)


@kind
def combs(ev, names):
    """grid: error of the best comb minus the ensemble's, by states kept; paired where that is stored."""
    out = Numbers()
    for row in ev.at("grid/rows"):
        if row["method"] == "ensemble" and row["k"] < 8:
            best = _best_comb(ev, row["k"])
            error = best.get("gap_stderr", np.hypot(best["stderr"], row["stderr"]))
            out[f"K = {row['k']}"] = ev.estimate(best["error"] - row["error"], error)
    return out


@kind
def best_comb(ev, names, k):
    """grid: error of the best comb."""
    return _best_comb(ev, int(k))["error"]


def _best_comb(ev, k):
    return min((row for row in ev.at("grid/trees") if row["k"] == k), key=lambda row: row["error"])


@kind
def rho(ev, names, key):
    """grid: rank correlations by states kept, where they exist."""
    rows = [row for row in ev.at("grid/agreement/by_k") if row[key] is not None]
    return Numbers((f"K = {row['k']}", ev.estimate(row[key], row[f"{key}_stderr"])) for row in rows)


@kind
def joints(ev, names, path):
    """Results on arms: points by which elbows and wrists are better; the stored values are losses."""
    pairs = zip(("elbows", "wrists"), *ev.at(path), strict=True)
    return Numbers((joint, -ev.estimate(mean, error)) for joint, mean, error in pairs)


@kind
def arms(ev, names, path):
    """`joints` at a half and at a third of the time."""
    both = {part: joints(ev, names, f"{path}/{part}") for part in "23"}
    return Numbers((f"{joint} 1/{part}", one) for part, of in both.items() for joint, one in of.items())


@kind
def minus_fixed(ev, names, path, name):
    """policy-pose: points by which a line of Table 7.1 is better than all frames at one tier."""
    mean, error = ev.at(path).get("error_minus", {}).get(name, (float("nan"), None))
    return -ev.estimate(mean, error)


@kind
def kept_more(ev, names, path, rival, over="clips"):
    """policy-pose: points of the possible gain that a line keeps beyond another's."""
    mean, over_clips, *over_people = ev.at(path)["improvement_minus"][rival]
    return ev.estimate(mean, over_people[0] if over == "people" else over_clips)


@kind
def summed(ev, names, path, key, *without):
    """The sum of a column over rows, except those where ``column value`` in `without` holds."""
    skipped = dict(one.rsplit(" ", 1) for one in without)
    return sum(row[key] for row in ev.at(path) if not any(row[c] == v for c, v in skipped.items()))


@kind
def at_us(ev, names, method, us):
    """constrained-ocr: % of letters wrong at `us` microseconds per word, read off the mean curve."""
    rows = [row for row in ev.at("constrained-ocr/rows") if row["method"] == method]
    rows.sort(key=lambda row: row["us"])
    return np.interp(float(us), [row["us"] for row in rows], [row["char_error"] for row in rows])


@kind
def gain_kept(ev, names, data):
    """parsing: % of the gain of all features that half of them keep."""
    best = ev.at(f"parsing/best/{data}")
    about = f"parsing/rows[data={data};policy={best};dictionary=false;features_share="
    none, half, every = (ev.at(f"{about}{share}]/uas") for share in (0, 0.5, 1))
    return 100 * (half - none) / (every - none)


@kind
def shot_ahead(ev, names, data):
    """parsing: points by which the one-shot policy is ahead of anytime at half of the words."""
    of = f"parsing/compared[data={data};features_share=0.5;"
    anytime = ev.at(f"{of}policy=anytime]")
    if "minus_one_shot" in anytime:
        return -Estimate(anytime["minus_one_shot"], *anytime["minus_one_shot_interval"])
    pair = (ev.at(f"{of}is_chosen=true]"), anytime)
    one, other = (Estimate(row["minus_full"], *row["minus_full_interval"]) for row in pair)
    return Estimate(one.value - other.value, one.low - other.high, one.high - other.low)


@kind
def near_the_root(ev, names, row):
    """parsing: % of words bought at depths 0 to 2 minus % at 3 to 7; binomial if no interval is stored."""
    row = ev.at(row)
    words, bought = np.array(row["words"], float), np.array(row["bought"], float)
    every = np.divide(words, bought, out=np.zeros_like(words), where=bought > 0)  # words of a depth
    n = np.array([every[:3].sum(), every[3:].sum()])
    share = np.array([words[:3].sum(), words[3:].sum()]) / n
    gap = 100 * (share[0] - share[1])
    if "near_minus_far_interval" in row:
        return Estimate(gap, *row["near_minus_far_interval"])
    return ev.estimate(gap, 100 * (share * (1 - share) / n).sum() ** 0.5)


@kind
def roots(ev, names, row):
    """parsing: % of roots that are bought."""
    return 100 * ev.at(row)["bought"][0]


@kind
def rise(ev, names, first, last):
    """scene: points gained from one row to another, with the latter's interval."""
    first, last = ev.at(first)["pixel_accuracy"], ev.at(last)
    return Estimate(last["pixel_accuracy"] - first, *(end - first for end in last["interval"]["pixel"]))


@kind
def gain(ev, names, method):
    """scene: points by which SIM at its end is ahead of a method."""
    row = ev.at(f"scene/compared[method={method}]")
    return Estimate(row["pixel"], *row["interval"]["pixel"])


@kind
def gain_then(ev, names, method):
    """scene: points by which SIM is ahead of a method when that is done."""
    row = ev.at(f"scene/rows[method={method}]")
    of_sim = [
        one for one in ev.at("scene/rows") if one["method"] == "sim" and one["seconds"] <= row["seconds"]
    ]
    compared = ev.at(f"scene/compared[method={method}]").get("at_its_time", {})
    return Estimate(of_sim[-1]["pixel_accuracy"] - row["pixel_accuracy"], *compared.get("interval", ()))


@kind
def first_steps(ev, names):
    """scene: the first step that computes each group of features, in their order."""
    groups = ("SHAPE", "TXT", "LBP", "I-SIFT", "C-SIFT")
    steps = [(row["step"], name) for row in ev.at("scene/centres") for name in groups if row[name]]
    found = [
        (name, min(step for step, _ in of))
        for name, of in groupby(sorted(steps, key=lambda s: s[1]), lambda s: s[1])
    ]
    return Numbers(
        (name, Estimate(step))
        for name, step in sorted(found, key=lambda pair: (pair[1], groups.index(pair[0])))
    )


@kind
def out_of_order(ev, names, first):
    """scene: 1 for each of the paper's claims on that order that does not hold."""
    at = {name: one.value for name, one in names[first].items()}
    late = at.get("C-SIFT", np.inf)
    is_third = all(at.get(name, np.inf) <= late for name in ("TXT", "I-SIFT"))
    is_so = {
        "SHAPE first": at.get("SHAPE") == min(at.values()),
        "TXT, I-SIFT next": is_third,
        "LBP": "LBP" not in at,
    }
    return Numbers((name, Estimate(float(not so))) for name, so in is_so.items())


def _binomial(percent, n=2000):
    """The standard error of a share of words, in points."""
    return 100 * (percent / 100 * (1 - percent / 100) / n) ** 0.5


def _unseen(ev, choice):
    """ocr-open: the row on words of unseen types for the method chosen on development words."""
    order, width = (ev.at(f"ocr-open/chosen[features=fourier]/{choice}/{key}") for key in ("order", "width"))
    rows = ev.at("ocr-open/rows")
    wanted = {"features": "fourier", "data": "unseen", "order": order, "width": width}
    wanted["method"] = "cascade" if choice == "cascade" else "beam"
    return next(row for row in rows if wanted.items() <= row.items())


@kind
def unseen(ev, names, choice):
    """ocr-open: words of unseen types read right."""
    percent = _unseen(ev, choice)["word_accuracy"]
    return ev.estimate(percent, _binomial(percent))


@kind
def unseen_us(ev, names, choice):
    """ocr-open: microseconds per word of them."""
    return _unseen(ev, choice)["us_per_word"]


@kind
def beam_less(ev, names):
    """ocr-open: points of words by which the cascade is ahead of the beam that takes no more time."""
    ours, beam = (_unseen(ev, choice) for choice in ("cascade", "in_its_time"))
    gap = ours["word_accuracy"] - beam["word_accuracy"]
    if "cascade_minus_interval" in beam:
        return Estimate(gap, *beam["cascade_minus_interval"])
    return ev.estimate(gap, np.hypot(*(_binomial(row["word_accuracy"]) for row in (ours, beam))))


@kind
def beam_slower(ev, names):
    """ocr-open: time ratio of the beam that reads as many words, with its rounds where they are stored."""
    beam, ours = (_unseen(ev, choice) for choice in ("as_many", "cascade"))
    times = beam["us_per_word"] / ours["us_per_word"]
    if "us_per_word_turns" not in beam:
        return Estimate(times)
    half = ev.folds(np.divide(beam["us_per_word_turns"], ours["us_per_word_turns"])).half
    return Estimate(times, times - half, times + half)


@kind
def dictionary_ahead(ev, names):
    """ocr-orders: points of words by which a dictionary is ahead of order 6, unpaired."""
    words, known = ev.folds(ev.order(6, "word_accuracy")), ev.at("ocr-orders/baselines[features=raw]")
    error = np.hypot(known["word_stderr"], words.half / ev.rules.errors)
    return ev.estimate(known["word_accuracy"] - words.value, error)


@kind
def paying(ev, names, path):
    """Budgets on words: number of methods whose features pay off, and of all methods."""
    rows = ev.at(path).values()
    return Numbers(pay=Estimate(sum(not row["gain_eaten"] for row in rows)), all=Estimate(len(rows)))


@kind
def over_sd(ev, names, row, key, sd, n):
    """A mean of `n` folds whose standard deviation is stored."""
    row = ev.at(row)
    return ev.estimate(row[key], row[sd] / ev.at(n) ** 0.5)


def _ratios(ev, data, method):
    wanted = {"data": data, "method": method, "against": "parents"}
    return [
        row for row in ev.at("hybrid/compared") if wanted.items() <= row.items() and row["ratio"] is not None
    ]


@kind
def dearer(ev, names, data, method):
    """hybrid: % of accuracies at which a method costs more than the better parent.

    Its interval: the shares surely dearer, and not surely cheaper, where the spread of the ratio is stored.
    """
    rows = _ratios(ev, data, method)
    share = 100 * sum(row["ratio"] > 1 for row in rows) / len(rows)
    sds = [
        (row["ratio"], row["ratio_sd"], row["folds_both_reach"])
        for row in rows
        if row["ratio_sd"] is not None
    ]
    known = [ev.estimate(mean, sd / n**0.5) for mean, sd, n in sds]
    if not known:
        return Estimate(share)
    dear, cheap = (
        100 * sum(is_so) / len(known) for is_so in ([k.low > 1 for k in known], [k.high < 1 for k in known])
    )
    return Estimate(share, dear, 100 - cheap)


@kind
def least_ratio(ev, names, data, method):
    """hybrid: the least ratio of costs."""
    return min(row["ratio"] for row in _ratios(ev, data, method))


@kind
def most_ratio(ev, names, data, method):
    """hybrid: the largest ratio of costs."""
    return max(row["ratio"] for row in _ratios(ev, data, method))
