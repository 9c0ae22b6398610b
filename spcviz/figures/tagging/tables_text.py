"""What is said about Table 4.2 beside the thesis: sentences worked out from its numbers."""

from spcviz.figures.tagging.tables import CORPORA, METHODS, with_interval

FEATURES = {"paper": "the word alone (paper)", "full": "affixes, case, neighbours too"}
NOTE = (
    "The paper measured all of the Wall Street Journal with word-tag features, in milliseconds of its day; "
    "here Full is this project's own vectorised exact Viterbi over all trigrams, and all methods were timed "
    "in turns in one run. Thresholds were chosen on held-out sentences. SPC is learnt as the thesis says; "
    "SPC begun with log loss is another method."
)
EQUAL = (
    "Bigrams (for pairs of tags: trigrams) that are left a position where exactly so many test sentences are "
    "lost, with 95 % bootstrap intervals over sentences. Single filters stand in the spaces that SPC's "
    "levels before leave; whole cascades in their own. A corpus ends with the loss of Tags. \u2013: "
    "the filter loses more even at alpha = 0."
)
LOSS = 5.0
"""Percent of the sentences lost at which methods are compared in sentences."""
ORDER = 3
"""Of the final perceptron."""
RIVALS = ("crf", "perceptron", "spc_log_loss_start")


def corpora(result):
    """Which corpora were measured; "" where it is not said."""
    found = {name.split()[0]: digest for name, digest in result.get("corpora", {}).items()}
    named = [f"{corpus(data)} (SHA-256 {digest[:12]}…)" for data, digest in found.items()]
    return f"Corpora: {', '.join(named)}." if named else ""


def trained_on(result, features):
    """How many sentences the methods were trained on; "" where it is not said."""
    sizes = {
        corpus(data): row.get("n_train")
        for data, rows in by_corpus(result, features).items()
        for row in rows.values()
    }
    told = [f"{name} {n:,}" for name, n in sizes.items() if n]
    return f"Training sentences: {', '.join(told)}." if told else ""


def by_corpus(result, features):
    """{corpus: {method: row}} of one set of features, in the result's order."""
    out = {}
    for row in result["rows"]:
        if row["features"] == features:
            out.setdefault(row["data"], {})[row["method"]] = row
    return out


def corpus(data):
    """What a corpus is called."""
    return CORPORA.get(data, data)


def paper_times(result, features):
    """How much faster than Full the paper's methods were, in its own times; "" without them."""
    for rows in by_corpus(result, features).values():
        ms = {m: row["paper"]["ms"] for m, row in rows.items() if (row.get("paper") or {}).get("ms")}
        if "full" in ms:
            faster = [f"{METHODS.get(m, m)} {ms['full'] / t:.0f}" for m, t in ms.items() if m != "full"]
            return f"Paper, times faster than its Full: {', '.join(faster)}."
    return ""


def speeds(result, features):
    """SPC against Full on every corpus, inference alone and with features: sentences."""
    said = []
    for data, rows in by_corpus(result, features).items():
        if {"full", "spc"} <= set(rows):
            alone, total = (rows["full"][key] / rows["spc"][key] for key in ("us_inference", "us_total"))
            said.append(
                f"{corpus(data)}: SPC is {alone:.1f} times faster than Full, {total:.1f} times with the time "
                "for features."
            )
    return " ".join(said)


def equal_rows(result, features, data, space="cascade", target=LOSS):
    """{method: row} of one comparison at equal sentences lost."""
    return {
        row["method"]: row
        for row in result.get("equal", ())
        if (row["features"], row["data"], row["filter"]) == (features, data, space)
        and row["target"] == target
    }


def who_wins(result, features, data):
    """Who leaves fewest bigrams at equal sentences lost, and how the SPC compares: a sentence, or ""."""
    rows = equal_rows(result, features, data)
    known = {m: row for m, row in rows.items() if row["pairs_equal"] is not None}
    if "spc" not in known:
        return f"{corpus(data)}: SPC cannot lose as few sentences" if rows else ""
    values = {m: row["pairs_equal"] for m, row in known.items()}
    best = min(values, key=values.get)
    told = ", ".join(f"{METHODS[m]} {with_interval(row, 'pairs_equal')}" for m, row in known.items())
    if best == "spc":
        close = [METHODS[m] for m in RIVALS if m in known and known[m]["against_spc"] == "as many"]
        verdict = "SPC leaves fewest" + (f", within chance of {' and '.join(close)}" if close else "")
    else:
        is_close = known[best]["against_spc"] == "as many"
        verdict = f"{METHODS[best]} leaves fewest" + (", but SPC is within chance of it" if is_close else "")
    return f"{corpus(data)}: {verdict} ({told} bigrams a position)"


def features_named(features):
    """What a set of features is called inside a sentence."""
    return {"paper": "with the paper's features", "full": "with affixes, case and neighbours"}.get(
        features, features
    )


def winners(result, features):
    """Who wins at equal sentences lost on each corpus, in a sentence; "" where nothing was compared."""
    said = [who_wins(result, features, data) for data in by_corpus(result, features)]
    said = [text for text in said if text]
    where = features_named(features)
    return f"At {LOSS:g} % of the test sentences lost, {where}: {'; '.join(said)}." if said else ""


def paper_winners(result):
    """The same two in the paper: who leaves fewest states, who gets most words right."""
    rows = {row["method"]: row["paper"] for row in result["rows"] if row.get("paper")}
    states = {METHODS[m]: paper["states"] for m, paper in rows.items() if paper.get("states")}
    right = {METHODS[m]: paper["accuracy"] for m, paper in rows.items() if paper.get("accuracy")}
    if not states or not right:
        return "\u2013"
    fewest, best = min(states, key=states.get), max(right, key=right.get)
    return f"{fewest} {states[fewest]:.3g}, {best} {right[best]:.2f} %"


def headline(result, features):
    """Who leaves fewest and who is right most often, corpus by corpus, in a few words; "" without numbers."""
    said = []
    for data, rows in by_corpus(result, features).items():
        found = {
            m: row for m, row in equal_rows(result, features, data).items() if row["pairs_equal"] is not None
        }
        if not found:
            continue
        fewest = min(found, key=lambda m: found[m]["pairs_equal"])
        tie = " (SPC within chance)" if fewest != "spc" and found[fewest]["against_spc"] == "as many" else ""
        right = max(rows, key=lambda m: rows[m]["accuracy"])
        spc = f"; SPC {found['spc']['pairs_equal']:.3g}" if "spc" in found and fewest != "spc" else ""
        own = f"; SPC {rows['spc']['accuracy']:.2f} %" if "spc" in rows and right != "spc" else ""
        said.append(
            f"{corpus(data)}: {METHODS[fewest]} {found[fewest]['pairs_equal']:.3g}{spc}{tie}, "
            f"{METHODS.get(right, right)} {rows[right]['accuracy']:.2f} %{own}"
        )
    return "; ".join(said)


def most_right(result, features):
    """Methods by words right on each corpus, and which of them chance does not part from the SPC."""
    said = []
    for data, rows in by_corpus(result, features).items():
        order = sorted(rows, key=lambda m: -rows[m]["accuracy"])
        told = ", ".join(f"{METHODS.get(m, m)} {rows[m]['accuracy']:.2f} %" for m in order)
        close = [METHODS.get(m, m) for m in order if rows[m].get("right_against_spc") == "as many"]
        chance = f" (within chance of SPC: {', '.join(close)})" if close else ""
        said.append(f"{corpus(data)}: {told}{chance}")
    return f"Most words right, {features_named(features)}: {'; '.join(said)}." if said else ""


def best_order(result, features):
    """At which order each SPC gets most words right, beside the thesis: a sentence, or ""."""
    said = []
    for data in by_corpus(result, features):
        for method in ("spc", "spc_log_loss_start"):
            rows = [
                row
                for row in result.get("orders", ())
                if (row["features"], row["data"], row["split"], row.get("method"))
                == (features, data, "test", method)
            ]
            if len(rows) > ORDER:
                best, last = max(rows, key=lambda row: row["accuracy"]), rows[-1]
                said.append(
                    f"{METHODS[method]}, {corpus(data)}: order {best['order']} ({best['accuracy']:.2f} %); "
                    f"{last['order']}-grams get {last['accuracy']:.2f} % and have lost "
                    f"{last['filter_loss_sentence']:.1f} % of the sentences"
                )
    return (
        f"Most words right at: {'; '.join(said)}. The thesis went up to 5-grams too and found 3 best."
        if said
        else ""
    )


def beside_tags(result, features):
    """Bigrams that cascades leave where they lose as many sentences as the method Tags: sentences."""
    said = []
    for data, rows in by_corpus(result, features).items():
        if "tags" not in rows or "sentence_loss" not in rows["tags"]:
            continue
        tags = rows["tags"]
        found = equal_rows(result, features, data, target=tags["sentence_loss"])
        told = [
            f"{METHODS[m]} {with_interval(row, 'pairs_equal')}"
            for m, row in found.items()
            if row["pairs_equal"] is not None
        ]
        if told:
            said.append(
                f"{corpus(data)}: Tags loses {tags['sentence_loss']:.1f} % of the sentences and leaves "
                f"{tags['states']:.1f} bigrams a position; losing as many, cascades leave {', '.join(told)}."
            )
    return " ".join(said)


def broken_tolerances(result):
    """Where no alpha keeps a filter's tolerance: sentences."""
    found = {}
    for row in result["rows"]:
        for level in row.get("levels", ()):
            if not level["is_kept"]:
                name = f"{METHODS[row['method']]}, {corpus(row['data'])}, {FEATURES[row['features']]}"
                lost = (
                    f"level {level['order']} loses {level['lost_held_out']:.1f} % of {level['tolerance']:g}"
                )
                found.setdefault(name, []).append(lost)
    if not found:
        return ""
    told = "; ".join(f"{name}: {', '.join(levels)} % allowed" for name, levels in found.items())
    return f"No threshold keeps the tolerance held out, so alpha is 0 there: {told}."


def misses(result):
    """What the paper reports and these numbers do not bear out: sentences."""
    out = []
    for features in dict.fromkeys(row["features"] for row in result["rows"]):
        lost = []
        for data in by_corpus(result, features):
            rows = equal_rows(result, features, data)
            lost += [
                f"{METHODS[m]} {rows[m]['against_spc']} on {corpus(data)}"
                for m in RIVALS
                if m in rows and rows[m]["against_spc"] not in (None, "more")
            ]
        if lost:
            out.append(
                f"SPC does not leave fewest bigrams at equal sentences lost ({LOSS:g} %), "
                f"{features_named(features)}: {'; '.join(lost)}. {winners(result, features)}"
            )
        rivals = [
            corpus(data)
            for data, rows in by_corpus(result, features).items()
            if {"spc", "tags"} <= set(rows) and rows["tags"].get("right_against_spc") == "more"
        ]
        if rivals:
            out.append(
                f"The trivial method Tags gets more words right than SPC on {' and '.join(rivals)}. "
                f"{most_right(result, features)}"
            )
    if broken := broken_tolerances(result):
        out.append(broken)
    features = result["rows"][0]["features"]
    for data, rows in by_corpus(result, features).items():
        paper = {m: (row.get("paper") or {}).get("ms") for m, row in rows.items()}
        if paper.get("full") and paper.get("spc"):
            here = rows["full"]["us_inference"] / rows["spc"]["us_inference"]
            there = paper["full"] / paper["spc"]
            if here < there:
                out.append(
                    f"{corpus(data)}: {here:.1f} times faster than Full, not {there:.0f} times. The paper's "
                    "Full is a scalar dense search, this one is vectorised."
                )
    return out


def word_alone(result):
    """What the paper's features alone come to; "" without them."""
    rows = [row for row in result["rows"] if (row["features"], row["method"]) == ("paper", "spc")]
    if not rows:
        return ""
    states, right = ([row[key] for row in rows] for key in ("states", "accuracy"))
    return (
        "With the paper's features alone (words and n-grams of tags) unknown words score flat and pruning is "
        f"poor: SPC leaves {min(states):.0f} to {max(states):.0f} bigrams a position and gets "
        f"{min(right):.1f} to {max(right):.1f} % of the words right."
    )


def learners(result):
    """Which model gives the tags of each method, and what that means where a cascade is above Full."""
    used = result.get("settings", {}).get("tokens_right")
    if not used:
        return ""
    above = [
        corpus(data)
        for data, rows in by_corpus(result, result["rows"][0]["features"]).items()
        if {"full", "spc"} <= set(rows) and rows["spc"]["accuracy"] > rows["full"]["accuracy"]
    ]
    meaning = (
        f" So SPC above Full ({'; '.join(above)}) is not one learner with and without pruning: the cascades' "
        "predictors begin at their filters, Full at zero."
        if above
        else ""
    )
    return f"Who tags: {used}.{meaning}"
