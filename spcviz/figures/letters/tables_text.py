"""What the Paper tables page says about a reproduced result: sentences worked out from its numbers."""

from spcviz.figures.letters.tables import COLUMNS, FEATURES, dictionary, features_of

ORDERS_NEED = ("features", "order", "char_accuracy", "word_accuracy", "filter_loss", "n_grams_in")
SWEEP_NEEDS = ("features", "fold", "level", "method", "split", "filter_loss", "efficiency_loss")
GRID_NEEDS = ("method", "k", "error", "stderr")
"""What each row must have to be drawn."""

FILTER_LOSS_NOTE = (
    "Filter loss, measured: the share of words that had lost their truth before this order, all levels "
    "together; the paper does not say whether its own adds them up. n-grams a position: before the order's "
    "own "
    "pruning."
)


def is_usable(result, needs=()):
    """Whether a file's content has the form of a result, and each row what it needs."""
    rows = result.get("rows") if isinstance(result, dict) else None
    return (
        isinstance(rows, list)
        and len(rows) > 0
        and isinstance(result.get("name"), str)
        and all(isinstance(row, dict) and not set(needs) - set(row) for row in rows)
    )


def dictionary_sentence(result, features):
    """Why the row of the dictionary stands beside the cascade; "" without one."""
    base = dictionary(result, features)
    if not base:
        return ""
    last = [row for row in result["rows"] if row["features"] == features][-1]
    wins = base["word_accuracy"] > last["word_accuracy"]
    verb = "wins" if wins else "comes close"
    return (
        f"**A plain dictionary {verb}**: {base['char_accuracy']:.2f} % of letters and "
        f"{base['word_accuracy']:.2f} % of words (measured), against {last['char_accuracy']:.2f} % and "
        f"{last['word_accuracy']:.2f} % for the cascade at order {last['order']}. The reason: the whole data "
        f"set has {base.get('size', 55):.0f} distinct words and all of them occur in training, so it only "
        "has "
        "to tell these few apart. The cascade knows no word list; it is about how cheap exact inference over "
        "all 26ⁿ can be made."
    )


def cost_sentence(result, features):
    """What the times say about cascade against dense inference, in a sentence; "" without times."""
    rows = [
        row
        for row in result["rows"]
        if row["features"] == features and row.get("us_per_word") and row.get("us_dense_per_word")
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
    unknown = [row["order"] for row in result["rows"] if row["features"] == features]
    unknown = [n for n in unknown if n not in ratio]
    rest = f" At {_orders(unknown)} dense inference was not run." if unknown else ""
    label = FEATURES.get(features, features)
    return f"Measured in one run with {label}, the cascade is {' and '.join(said)}.{rest}"


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
        rows = [row for row in result["rows"] if row["features"] == features]
        label = FEATURES.get(features, features)
        for name, (measured, printed, decimals) in COLUMNS.items():
            is_gain = measured.endswith("accuracy")
            worse = [
                (row["order"], row[measured], row["paper"][printed])
                for row in rows
                if row.get("paper")
                and row["paper"].get(printed) is not None
                and (row[measured] < row["paper"][printed]) == is_gain
                and round(abs(row[measured] - row["paper"][printed]), decimals) > 0
            ]
            if worse:
                listed = "; ".join(
                    f"order {n}: {a:.{decimals}f} against {b:.{decimals}f}" for n, a, b in worse
                )
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


def origin_sentence(result):
    """Data, machine and time of a result in a sentence."""
    machine = result.get("machine", {})
    digests = ", ".join(f"{name} (SHA-256 {d[:12]}…)" for name, d in result.get("data_digests", {}).items())
    folds = result.get("settings", {}).get("folds")
    over = f" over {folds} of 10 test folds" if isinstance(folds, int) else ""
    return (
        f"Measured{over} on data {digests or 'not named'}; {machine.get('cpu', 'unknown processor')}, "
        f"{machine.get('cores', '?')} cores, Python {machine.get('python', '?')}, "
        f"{result.get('seconds', 0):.0f} s."
    )


def command_of(result):
    """The command that repeats a result: its own word, or one put together from its settings."""
    if isinstance(result.get("command"), str):
        return result["command"]
    words = ["python -m spcviz reproduce", result["name"]]
    settings = result.get("settings", {})
    features = settings.get("features")
    if isinstance(features, dict) and features:
        words += ["--features", *features]
    if isinstance(settings.get("folds"), int):
        words += ["--folds", str(settings["folds"])]
    return " ".join(words)


def grid_shortfalls(result):
    """Where the grid's numbers differ from what the paper says: sentences."""
    out, agreed, paper = [], result.get("agreement") or {}, result.get("paper") or {}
    held = result.get("order_holds") or {}
    if not held.get("all", True):
        out.append(f"**The order of the methods** does not hold at K = {held.get('broken_at_k')}.")
    by_k = {row["k"]: row for row in agreed.get("by_k", ()) if row.get("error_rho") is not None}
    wanted = paper.get("agreement_error_rho") or {}
    here = by_k.get(wanted.get("k"))
    if here and wanted.get("rho") is not None:
        out.append(
            f"**Agreement and error** go together more closely here: rho {here['error_rho']:.3f} measured, "
            f"{wanted['rho']} paper, at K = {wanted['k']}. The sign is the same; the paper does not "
            "say how it averages over samples before ranking."
        )
    most = max((row["gain_rho"] for row in by_k.values()), default=None)
    limit = (paper.get("agreement_gain_rho") or {}).get("max_rho")
    if most is not None and limit is not None and most > limit:
        out.append(
            f"**Agreement and gain over LBP**: largest rho {most:.3f} measured, {limit} paper, which "
            "calls its own “not correlated”. Small in both."
        )
    return out
