"""What is shown of ocr-open."""

from spcviz.figures.common.blocks import Heading, Headline, Note, Shown, Table, Text, bullets, chart
from spcviz.figures.common.results import features_of
from spcviz.figures.open_words import tables, text

DECIMALS = {"letters": 2, "words": 2, "µs": 1, "true": 2, "n-grams": 1, "of these": 1}


def _open(result, features, look):
    frames = [
        block
        for data, said in tables.SETS.items()
        if tables.rows_of(result, features, data)
        for block in (
            Heading(said[0].upper() + said[1:]),
            Table(tables.open_frame(result, features, data), f"ocr-open-{features}-{data}", DECIMALS),
        )
    ]
    return [
        Text(bullets(text.verdicts(result, features))),
        chart(tables.time_figure, result, look, key="open-time", features=features),
        Text(text.sets_sentence(result, features)),
        Text(text.ink_sentence(result, features)),
        *frames,
        Text(text.redrawn_sentence(result, features)),
        Heading("What falls short"),
        Text(bullets(text.shortfalls(result, features), "No order reads fewer words than a lower one.")),
        Note(text.NOTE),
    ]


def _headline(result):
    out = []
    for data, said in tables.SETS.items():
        measured = [
            one
            for features in sorted(features_of(result), key=list(tables.FEATURES).index)
            if (one := _measured(result, features, data))
        ]
        if measured:
            what = f"Open vocabulary, {said}: letters / words read right, %"
            out.append(Headline(what, "–", "; ".join(measured)))
    return out


def _measured(result, features, data):
    """The best cascade, what a beam reads in its time, and the dictionary."""
    rows = text.matched(result, features, data)
    if not rows:
        return ""
    own = text.best(rows)
    other = text.beam_at(result, features, data, own["us_per_word"])
    known = tables.rows_of(result, features, data, "dictionary")
    beside = [f"beam search in no more time {other['word_accuracy']:.2f}"] if other else []
    beside += [f"dictionary {known[0]['word_accuracy']:.2f}"] if known else []
    read = f"{own['char_accuracy']:.2f} / {own['word_accuracy']:.2f}"
    return f"{tables.FEATURES[features]} {read} (cascade of order {own['order']}; {', '.join(beside)})"


OPEN = Shown(
    needs=("data", "features", "method", "order", "char_accuracy", "word_accuracy", "us_per_word"),
    blocks=_open,
    headline=_headline,
    misses=text.misses,
    features=tables.FEATURES,
)
