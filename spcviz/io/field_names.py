"""Names that corpora and tools give to columns and fields of tokens, labels and sentence ids."""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

WORD = (
    "token", "tokens", "word", "words", "form", "forms", "wordform", "surface", "text", "texts", "wort",
    "mot", "palabra", "parola", "woord",
)  # fmt: skip
"""Names for a column of tokens, and for nothing else."""
TOKEN = (*WORD, "sentence", "sentences", "sent", "source", "input")
LABEL = (
    "label", "labels", "tag", "tags", "gold", "ner", "ner_tags", "ner_tag", "ner_labels", "ner_label", "ne",
    "entity", "entities", "entity_type", "bio", "bio_tags", "bio_tag", "iob", "iob2", "iob_tags", "iob_tag",
    "target", "targets", "output", "true", "true_label", "true_labels", "true_tag", "true_tags", "gold_label",
    "gold_labels", "gold_tag", "gold_tags", "y_true", "etikett", "etiquette", "étiquette", "etiqueta",
    "etichetta", "marke", "slots", "chunk", "chunks", "chunk_tags", "chunk_tag", "pos", "pos_tags", "pos_tag",
    "upos", "upostag", "upos_tags", "xpos", "xpostag", "xpos_tags",
)  # fmt: skip
SENTENCE = (
    "sentence", "sentence_id", "sentence_no", "sentence_number", "sentence_idx", "sentence_index",
    "sentenceid", "sent", "sent_id", "sentid", "sent_no", "sent_idx", "satz", "satz_id", "satz_nr", "phrase",
    "phrase_id", "frase", "frase_id", "sequence", "sequence_id", "seq", "seq_id", "s_id",
)  # fmt: skip
ALL = frozenset((*TOKEN, *LABEL, *SENTENCE))


def normal(name: str) -> str:
    """A column's name in lower case, words joined by an underscore.

    >>> normal("Sentence #"), normal("NER Tags"), normal("sentenceID")
    ('sentence', 'ner_tags', 'sentenceid')
    """
    return re.sub(r"[^\w]+", "_", name.lower()).strip("_")


def find(header: Sequence[str], names: Sequence[str], but: Sequence[int | None] = ()) -> int | None:
    """Number of the column that matches the earliest of some names, except the columns in `but`."""
    given = [normal(name) for name in header]
    return next((k for name in names for k, one in enumerate(given) if one == name and k not in but), None)


def order_fields(record: Mapping[Any, Any], wanted: Sequence[str]) -> Iterator[str]:
    """The fields of a record that match one of some names, in the order of the names.

    >>> list(order_fields({"Tags": [], "id": 1, "Tokens": []}, ["tokens", "tags"]))
    ['Tokens', 'Tags']
    """
    by_name = {normal(str(key)): key for key in record}
    return (by_name[key] for key in wanted if key in by_name)


def is_header(cells: Sequence[str]) -> bool:
    """Whether cells are column names: one for tokens, and one for labels or sentence ids.

    >>> is_header(["Sentence #", "Word", "POS", "Tag"]), is_header(["The", "DT"])
    (True, False)
    """
    token = find(cells, TOKEN)
    if len(cells) < 2 or token is None:
        return False
    return any(find(cells, names, (token,)) is not None for names in (LABEL, SENTENCE))


def sentence_column(header: Sequence[str]) -> int | None:
    """The column that numbers sentences; one named "sentence" only if another column has the tokens."""
    token = find(header, WORD)
    column = find(header, SENTENCE, (token,))
    if column is None or token is not None:
        return column
    return column if find(header, TOKEN, (column,)) is not None else None


def token_column(header: Sequence[str]) -> int | None:
    """The column that has the tokens."""
    return find(header, TOKEN, (sentence_column(header),))


def label_column(header: Sequence[str]) -> int | None:
    """The column that has the labels, entities before chunks before parts of speech."""
    return find(header, LABEL, (sentence_column(header), token_column(header)))
