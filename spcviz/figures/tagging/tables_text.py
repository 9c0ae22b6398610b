"""What is said about Table 4.2 beside the thesis: sentences worked out from its numbers."""

from spcviz.figures.tagging.tables import CORPORA, METHODS

FEATURES = {"paper": "the word alone (paper)", "full": "affixes, case, neighbours too"}
NOTE = (
    "The paper measured all of the Wall Street Journal with word-tag features, in milliseconds of its day; "
    "here Full is this project's own vectorised exact Viterbi over all trigrams, and all methods were timed "
    "in turns in one run. Thresholds were chosen on held-out sentences."
)


def corpora(result):
    """Which corpora were measured; "" where it is not said."""
    found = {name.split()[0]: digest for name, digest in result.get("corpora", {}).items()}
    named = [f"{corpus(data)} (SHA-256 {digest[:12]}…)" for data, digest in found.items()]
    return f"Corpora: {', '.join(named)}." if named else ""


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


def fewer_states(result):
    """On which corpora and features SPC leaves fewer bigrams than CRF pruning, as the paper reports."""
    holds, fails = [], []
    for features in dict.fromkeys(row["features"] for row in result["rows"]):
        for data, rows in by_corpus(result, features).items():
            if {"spc", "crf"} <= set(rows):
                is_fewer = rows["spc"]["states"] < rows["crf"]["states"]
                name = f"{corpus(data)}, {FEATURES.get(features, features)}"
                (holds if is_fewer else fails).append(
                    f"{name} ({rows['spc']['states']:.1f} and {rows['crf']['states']:.1f})"
                )
    return holds, fails


def misses(result):
    """What the paper reports and these numbers do not bear out: sentences."""
    out = []
    holds, fails = fewer_states(result)
    if fails:
        where = f"holds for {'; '.join(holds)}, but not" if holds else "does not hold"
        out.append(
            f"That SPC leaves fewer bigrams a position than CRF pruning {where} for {'; '.join(fails)}."
        )
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
