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
    for features in features_of(result):
        for data, said in tables.SETS.items():
            rows = text.matched(result, features, data)
            if not rows:
                continue
            own = text.best(rows)
            other = text.beam_at(result, features, data, own["us_per_word"])
            beam = f"; beam search in no more time {other['word_accuracy']:.2f}" if other else ""
            known = tables.rows_of(result, features, data, "dictionary")
            book = f"; dictionary {known[0]['word_accuracy']:.2f}" if known else ""
            out.append(
                Headline(
                    f"Open vocabulary, {said}, {tables.FEATURES.get(features, features)}: letters / words "
                    "read right, %",
                    "–",
                    f"{own['char_accuracy']:.2f} / {own['word_accuracy']:.2f} (cascade of order "
                    f"{own['order']}){beam}{book}",
                )
            )
    return out


OPEN = Shown(
    needs=("data", "features", "method", "order", "char_accuracy", "word_accuracy", "us_per_word"),
    blocks=_open,
    headline=_headline,
    misses=text.misses,
    features=tables.FEATURES,
)
