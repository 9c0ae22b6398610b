"""Notes on the result ocr-open."""

from spcviz.problems.open_words.paper.tables import FEATURES, SETS, picked

NOTE = (
    "Every method reads the same 26 ink scores a letter, from a letter model that did not see the image. "
    "Times are CPU microseconds from those scores to labels on the same words, turn by turn; what the scores "
    "cost comes on top for every method alike. Cascades begin at an n-gram model counted from words "
    "(Kneser-Ney, with begin marks) and learn corrections; beams read with the same learned models. Test "
    "words have letter images of fold 0 only; a letter's neighbours are mostly by other hands."
)


def sets_sentence(result):
    """How many words there are, and how many of them are known."""
    read = "; ".join(
        f"{row['words']} {SETS[row['data']]} ({row['types']} types, {row['known_share']:.1f} % of the words "
        "are of training types)"
        for row in result["sets"]
    )
    return f"n-grams counted from {result['sets'][0]['training_types']} training types. Read: {read}."


def ink_sentence(result):
    """What a word's ink costs, which every method pays beside."""
    parts = [
        f"{FEATURES[row['features']]}, {SETS[row['data']]} {row['us_ink_per_word']:.0f} µs "
        f"({row['letters_right']:.2f} % of letters right by ink alone)"
        for row in result["ink"]
        if row["data"] in SETS
    ]
    return f"Ink of a word, from pixels on: {'; '.join(parts)}."


def page_note(result, features):
    """What the Letters page says under words of an open vocabulary that a set of `FEATURES` reads."""
    origin = (
        "Words of types that no training word has, put together from real letter images: neighbouring "
        "letters are mostly by different hands. List of words: UD English EWT, CC BY-SA 4.0."
    )
    cascade = picked(result, features, "unseen", "cascade") if result else None
    if cascade is None:
        return origin
    other = picked(result, features, "unseen", "in_its_time")
    beam = ""
    if other:
        beam = f" For comparison: beam search in no more time reads {other['word_accuracy']:.1f} %."
    read = f"The cascade of order {cascade['order']} reads {cascade['word_accuracy']:.1f} % of them."
    return f"{origin} {read}{beam}"
