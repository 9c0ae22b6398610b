"""What is said about ocr-orders and ocr-sweep beside the papers: sentences worked out from their numbers."""

from spcviz.figures.common.results import features_of
from spcviz.figures.letters.tables import COLUMNS, FEATURES, dictionary, measured_of, rows_of

FILTER_LOSS_NOTE = (
    "Filter loss, measured: what had lost its truth before this order, all levels together, counted as the "
    "row's tolerance is: the share of words, or of true n-grams over all positions. The paper does not say "
    "what its own counts; its word errors fit positions only, so those rows stand for it. n-grams a "
    "position: before the order's own pruning."
)
TRACE_NOTE = "Every fold is a test fold too, so the averages carry a trace of what was chosen on one of them."
SWEEP_NOTE = (
    "n-grams that each filter must keep if at most so many words may lose their truth: points of the curves "
    "on test words. The Sweep page chooses thresholds on development words instead, as one has to in "
    "practice."
)


def dictionary_sentence(result, features):
    """Why the row of the dictionary stands beside the cascade; "" without one."""
    base = dictionary(result, features)
    if not base:
        return ""
    last = rows_of(result, features)[-1]
    wins = base["word_accuracy"] > last["word_accuracy"]
    verb = "wins" if wins else "comes close"
    return (
        f"**A plain dictionary {verb}**: {base['char_accuracy']:.2f} % of letters and "
        f"{base['word_accuracy']:.2f} % of words (measured), against {last['char_accuracy']:.2f} % and "
        f"{last['word_accuracy']:.2f} % for the cascade at order {last['order']}. The reason: the whole data "
        f"set has {base.get('size', 55):.0f} distinct words and all of them occur in training, so it only "
        "has to tell these few apart. The cascade knows no word list; it is about how cheap exact inference "
        "over all 26ⁿ can be made."
    )


def cost_sentence(result, features):
    """What the times say about cascade against dense inference, in a sentence; "" without times."""
    rows = [
        row for row in rows_of(result, features) if row.get("us_per_word") and row.get("us_dense_per_word")
    ]
    if not rows:
        return ""
    ratio = {row["order"]: row["us_dense_per_word"] / row["us_per_word"] for row in rows}
    slower, faster = ([n for n in ratio if (ratio[n] >= 1) == is_faster] for is_faster in (False, True))
    said = []
    if slower:
        factors = _span([1 / ratio[n] for n in slower])
        said.append(f"**slower** than exact dense Viterbi at {_orders(slower)} ({factors} times the time)")
    if faster:
        factors = _span([ratio[n] for n in faster])
        said.append(f"**faster** at {_orders(faster)} ({factors} times)")
    unknown = [row["order"] for row in rows_of(result, features)]
    unknown = [n for n in unknown if n not in ratio]
    rest = f" At {_orders(unknown)} dense inference was not run." if unknown else ""
    label = FEATURES.get(features, features)
    return f"Measured in one run on the same words with {label}, the cascade is {' and '.join(said)}.{rest}"


def _orders(orders):
    words = ", ".join(str(n) for n in orders[:-1])
    return f"order {orders[0]}" if len(orders) == 1 else f"orders {words} and {orders[-1]}"


def _span(factors):
    low, high = f"{min(factors):.3g}", f"{max(factors):.3g}"
    return low if low == high else f"{low} to {high}"


def shortfalls(result):
    """Where the measured numbers are worse than the paper's or than what was asked for: sentences."""
    out = []
    for features in features_of(result):
        rows = rows_of(result, features)
        label = FEATURES.get(features, features)
        for name, worse in _worse_than_paper(rows).items():
            decimals = COLUMNS[name][2]
            listed = "; ".join(f"order {n}: {a:.{decimals}f} against {b:.{decimals}f}" for n, a, b in worse)
            out.append(f"**{name}, {label}**, measured against paper: {listed}.")
        base = dictionary(result, features)
        last = rows[-1]
        if base and base["word_accuracy"] > last["word_accuracy"]:
            out.append(
                f"**A dictionary reads better**, {label}: {base['word_accuracy']:.2f} % of words against "
                f"{last['word_accuracy']:.2f} % at order {last['order']} (both measured)."
            )
        slow = [
            row["order"]
            for row in rows
            if row.get("us_dense_per_word") and row["us_per_word"] > row["us_dense_per_word"]
        ]
        if slow:
            out.append(f"**No faster than dense inference**, {label}: {_orders(slow)}.")
    return out


def _worse_than_paper(rows):
    """By column of the table: (order, measured, paper) where what is printed is worse than the paper's."""
    found = {}
    for name, (measured, printed, decimals) in COLUMNS.items():
        is_gain = measured.endswith("accuracy")
        for row in rows:
            theirs, ours = (row.get("paper") or {}).get(printed), measured_of(row, name)
            if theirs is None or (ours < theirs) != is_gain:
                continue
            if round(abs(ours - theirs), decimals) > 0:
                found.setdefault(name, []).append((row["order"], ours, theirs))
    return found


def misses(result):
    """What the paper reports better than it is measured here, in sentences."""
    out = []
    for features in features_of(result):
        rows = rows_of(result, features)
        for name, worse in _worse_than_paper(rows).items():
            orders = _orders([n for n, _, _ in worse])
            label = FEATURES.get(features, features)
            out.append(f"With {label} the column “{name}” is worse than the paper's at {orders}.")
        if rows[0].get("folds", 10) < 10:
            out.append(f"Not all ten test folds were run: {with_folds(rows[0])}.")
    return out


def failed(result):
    """What is worse than the paper's, in few words for the first line: a list, empty if nothing is."""
    worse = [
        f"{name} at {_orders([n for n, _, _ in found])}"
        for features in features_of(result)
        for name, found in _worse_than_paper(rows_of(result, features)).items()
    ]
    return [f"**worse than the paper: {', '.join(worse)}**"] if worse else []


def cost_by_order(result, features):
    """Cascade against dense inference, order by order, and what was not run; "" without times."""
    rows = rows_of(result, features)
    timed = [row for row in rows if row.get("us_per_word") and row.get("us_dense_per_word")]
    if not timed:
        return ""
    said = []
    for row in timed:
        ratio = row["us_dense_per_word"] / row["us_per_word"]
        verdict = f"{ratio:.1f} times faster" if ratio >= 1 else f"{1 / ratio:.1f} times the time"
        said.append(f"{verdict} at order {row['order']}")
    states, done = round(rows[0]["n_grams_in"]), {row["order"] for row in timed}
    huge = [f"{states}^{row['order']}" for row in rows if row["order"] not in done]
    rest = f" Dense tables of the other orders would have {' and '.join(huge)} entries." if huge else ""
    return f"Against dense inference on the same words: {', '.join(said)}.{rest}"


def lattices(result, features):
    """What each order leaves of its n-grams, and whether level 1 can keep to its tolerance at all."""
    rows = rows_of(result, features)
    if not all(row.get("n_grams_kept") for row in rows):
        return ""
    each = ", ".join(f"{row['n_grams_in']:.0f} → {row['n_grams_kept']:.0f}" for row in rows)
    said = f"n-grams a position before and after each order's own pruning: {each}."
    config = (result.get("settings", {}).get("features", {}).get(features) or {}).get("config") or {}
    allowed, first = 100 * (config.get("tolerances") or [1.0])[0], rows[0]
    if first.get("alpha") == 0 and first.get("filter_loss_after", 0.0) > allowed:
        said += (
            f" Even the gentlest threshold, α = 0, loses the truth of {first['filter_loss_after']:.2f} % of "
            f"words at order {first['order']}, where {allowed:g} % were allowed on held-out words."
        )
    return said


def departures(result):
    """Where the learning is not the thesis' own, as the result says it: sentences."""
    return list(result.get("settings", {}).get("departures", ()))


def folds_sentence(result, features):
    """Over how many folds a feature set's rows are means; "" where it is not said."""
    folds = next((row.get("folds") for row in result["rows"] if row["features"] == features), None)
    if folds == 1:
        return "Of a single test fold: no spread is known."
    return f"Means over {folds} test folds." if folds else ""


def with_folds(row):
    """A row's features, and its test folds where those are not all ten."""
    name, folds = FEATURES.get(row["features"], row["features"]), row.get("folds", 10)
    return name if folds == 10 else f"{name}, {folds} of 10 test folds"
