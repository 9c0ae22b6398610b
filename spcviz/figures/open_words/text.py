"""What is said about ocr-open: sentences worked out from its numbers."""

from spcviz.figures.open_words.tables import FEATURES, SETS, rows_of

NOTE = (
    "Every method reads the same 26 ink scores a letter, from a letter model that did not see the image. "
    "Times are CPU microseconds from those scores to labels on the same words, turn by turn; what the scores "
    "cost comes on top for every method alike. Cascades and their last models begin at the counted n-gram "
    "model and learn corrections. Test words have letter images of fold 0 only; a letter's neighbours are "
    "mostly by other hands."
)


def best(rows):
    """The row that reads most words."""
    return max(rows, key=lambda row: row["word_accuracy"])


def matched(result, features, data):
    """Rows of cascades whose order is not beyond every beam's: nothing else is compared with beams."""
    cascades = rows_of(result, features, data, "cascade")
    orders = [row["order"] for row in rows_of(result, features, data, "beam")]
    return [row for row in cascades if row["order"] <= max(orders, default=99)]


def beam_at(result, features, data, microseconds):
    """The beam that reads most words in at most this time, or None."""
    rows = [r for r in rows_of(result, features, data, "beam") if r["us_per_word"] <= microseconds]
    return best(rows) if rows else None


def verdicts(result, features):
    """Cascade against beam search, exact inference and the dictionary, a sentence each."""
    said = []
    for data, name in SETS.items():
        cascades = matched(result, features, data)
        if not cascades:
            continue
        own = best(cascades)
        said.append(_against_beam(result, features, data, name, own))
        said += _against_dictionary(result, features, data, name, own)
    said += _against_dense(result, features)
    return [sentence for sentence in said if sentence]


def _against_beam(result, features, data, name, own):
    other = beam_at(result, features, data, own["us_per_word"])
    cascade = (
        f"the cascade of order {own['order']} reads {own['word_accuracy']:.2f} % of {name} in "
        f"{own['us_per_word']:.0f} µs"
    )
    if other is None:
        return f"No beam is as fast: {cascade}."
    beam = (
        f"a beam of width {other['width']} at order {other['order']} reads {other['word_accuracy']:.2f} % in "
        f"{other['us_per_word']:.0f} µs"
    )
    if other["word_accuracy"] >= own["word_accuracy"]:
        return f"**Beam search wins** with {FEATURES[features]}: {beam}; {cascade}."
    return (
        f"The cascade is ahead of every beam measured, at equal time, with {FEATURES[features]}: {cascade}; "
        f"{beam}."
    )


def _against_dictionary(result, features, data, name, own):
    rows = rows_of(result, features, data, "dictionary")
    if not rows:
        return []
    base = rows[0]["word_accuracy"]
    verb = "fails" if base < own["word_accuracy"] else "**wins**"
    return [
        f"A dictionary of the training words {verb} on {name}: {base:.2f} % of them, against "
        f"{own['word_accuracy']:.2f} % by the cascade of order {own['order']}."
    ]


def _against_dense(result, features):
    cascade = {row["order"]: row for row in rows_of(result, features, "unseen", "cascade")}
    dense = {row["order"]: row for row in rows_of(result, features, "unseen", "dense")}
    said = [
        f"order {n}: {dense[n]['us_per_word'] / cascade[n]['us_per_word']:.1f} times"
        for n in sorted(dense)
        if n in cascade and n > 1
    ]
    return [f"Dense inference takes as long as the cascade times (words of unseen types) {'; '.join(said)}."]


def shortfalls(result, features):
    """What does not come out as the theory would have it, in sentences."""
    said = []
    for data, name in SETS.items():
        rows = rows_of(result, features, data, "cascade")
        compared = {row["order"] for row in matched(result, features, data)}
        beyond = [str(row["order"]) for row in rows if row["order"] not in compared]
        if beyond:
            said.append(f"Beam search was not measured at order {', '.join(beyond)} ({name}): that is open.")
        for row in rows:
            lower = [other for other in rows if other["order"] < row["order"]]
            if lower and best(lower)["word_accuracy"] > row["word_accuracy"] + 0.05:
                other = best(lower)
                said.append(
                    f"Order {row['order']} reads fewer {name} than order {other['order']}: "
                    f"{row['word_accuracy']:.2f} % against {other['word_accuracy']:.2f} %."
                )
    return said


def misses(result):
    """What the report begins with: where a simpler method wins."""
    out = []
    for features in dict.fromkeys(row["features"] for row in result["rows"]):
        out += [sentence for sentence in verdicts(result, features) if "wins**" in sentence]
    return out


def sets_sentence(result, features):
    """How many words there are, and how many of them are known."""
    parts = [
        f"{own['words']} {SETS[own['data']]} ({own['types']} types, {own['known_share']:.1f} % of the words "
        "are of training types)"
        for own in result.get("sets", ())
    ]
    if not parts:
        return ""
    n_words = result["settings"]["settings"][features]["n_words"]
    return (
        f"n-grams counted from {result['sets'][0]['training_types']} training types, corrections learned "
        f"from {n_words} composed words of these types. Read: {'; '.join(parts)}."
    )


def ink_sentence(result, features):
    """How well letters are read by themselves, and what that costs."""
    rows = [row for row in result.get("ink", ()) if row["features"] == features]
    parts = [
        f"{row['letters_right']:.2f} % of the letters of {SETS[row['data']]} in "
        f"{row['us_ink_per_word']:.0f} µs a word"
        for row in rows
    ]
    return f"By its ink alone, from pixels on: {'; '.join(parts)}." if parts else ""


def redrawn_sentence(result, features):
    """Whether drawn letters read as scanned ones do."""
    rows = [row for row in result.get("redrawn", ()) if row["features"] == features]
    if not rows:
        return ""
    row = rows[0]
    return (
        f"{row['letters']} test letters thinned and drawn anew as strokes (as on the Write page): by ink "
        f"alone {row['by_ink_redrawn']:.2f} % are right, against {row['by_ink']:.2f} % as they are; by the "
        f"cascade {row['by_cascade_redrawn']:.2f} % against {row['by_cascade']:.2f} %."
    )


def page_note(result, features="fourier"):
    """What the Letters page says under words of an open vocabulary."""
    said = (
        "Words of types that no training word has, put together from real letter images: neighbouring "
        "letters are mostly by different hands. List of words: UD English EWT, CC BY-SA 4.0."
    )
    rows = matched(result, features, "unseen") if result else []
    if not rows:
        return said
    own = best(rows)
    other = beam_at(result, features, "unseen", own["us_per_word"])
    beam = f" Honest note: beam search in no more time reads {other['word_accuracy']:.1f} %." if other else ""
    return f"{said} The cascade of order {own['order']} reads {own['word_accuracy']:.1f} % of them.{beam}"
