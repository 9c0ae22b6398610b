"""Read sentences in JSON: objects with lists of tokens and tags, or with a text and character spans.

=====================  =========================================================================
tokens and tags        ``{"tokens": [...], "ner_tags": [...]}``: Hugging Face, and most tools
objects                ``{"tokens": [{"text": "Maria", "ner": "B-PER"}, ...]}``: Stanza, CoreNLP
pairs                  ``[[["Maria", "B-PER"], ["sings", "O"]], ...]``, or two lists, tokens and tags
one token per record   ``{"sentence_id": 0, "word": "Maria", "tag": "B-PER"}``: a table by pandas
spans                  ``{"text": ..., "label": [[0, 5, "PER"]]}``: doccano, spaCy, Prodigy
results                ``{"data": {"text": ...}, "annotations": [...]}``: Label Studio
=====================  =========================================================================

They come as a list, as one object per line (JSON Lines), as lists by field, by split, as rows in a
server's response, or as pandas writes a table (records, split, index, columns, values, table). Spans become
BIO labels of words; a word inside which a span begins or ends is split there.
"""

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from itertools import islice
from typing import Any

from spcviz.engine.errors import ArgumentError
from spcviz.io import field_names
from spcviz.io.boundaries import sentences_of
from spcviz.io.layout import TokenTable
from spcviz.io.spans import labels_of_tokens, read_annotated, spans_in, tagged_spans
from spcviz.scores.schemes import is_chunked

_SAMPLE = 200
"""Records that are inspected to find out the kind of all."""
_LISTS = ("rows", "data", "examples", "documents", "sentences", "train", "validation", "test", "dev")
_UNKNOWN = -100

UNKNOWN_LABELS = frozenset((str(_UNKNOWN), f"{_UNKNOWN}.0"))
"""How tables write an unknown label; with .0 if a tool had a column of numbers with gaps."""

Names = dict[str, Sequence[str]]
"""Label names by the field that has their numbers; those for any other field under ""."""


def looks_like_json(text: str) -> bool:
    """Whether a text begins like JSON: with an object, or with a list of lists or objects.

    >>> looks_like_json('[{"id": 1}]'), looks_like_json("[ O"), looks_like_json('{"a": 1}')
    (True, False, True)
    """
    return bool(re.match(r"\ufeff?\s*(?:\{\s*[\"}]|\[\s*[\[{\"]|\[\s*\]\s*$)", text[:200]))


def parse(name: str, text: str) -> Any:
    """Parse a text of JSON or JSON Lines; `ArgumentError` with the line if it is neither."""
    lines = [line for line in text.splitlines()[:3] if line.strip()]
    if len(lines) > 1 and all(line.rstrip().endswith(("}", "]")) for line in lines):
        try:
            return [_load_json(line) for line in text.split("\n") if line.strip()]
        except (ValueError, RecursionError):
            pass
    try:
        return _load_json(text)
    except RecursionError:
        raise ArgumentError(f"{name}: is JSON that is nested too deeply to be read") from None
    except ValueError as error:
        at = f", line {error.lineno}" if isinstance(error, json.JSONDecodeError) else ""
        raise ArgumentError(f"{name}{at}: is JSON that cannot be read: {error.args[0]:.80}") from None


def _load_json(text: str) -> Any:
    return json.loads(text, parse_constant=lambda word: None)


def table_of_json(name: str, text: str, max_tokens: int | None = None) -> TokenTable:
    """Sentences of a JSON text; `ArgumentError`, with what it holds instead, if it has no tokens."""
    names: Names = {}
    records: Iterable[Any] = _records(name, parse(name, text), names)
    if header := _token_a_record(records):
        rows = ({key: one.get(key) if isinstance(one, dict) else None for key in header} for one in records)
        records = sentences_of(rows, header)
    elif _are_two_lists(records):
        records = [{"token": tokens, "label": labels} for tokens, labels in records]
    return table_of_records(name, records, names, max_tokens, "JSON")


def _token_a_record(records: Iterable[Any]) -> list[str]:
    """The fields of records that hold one token each, a word and its label; empty for other records."""
    head = list(islice(records, _SAMPLE))
    if len(head) < 2 or not all(isinstance(one, dict) for one in head):
        return []
    header = [key for key, value in head[0].items() if value is None or isinstance(value, str | int | float)]
    token, label = field_names.token_column(header), field_names.label_column(header)
    if token is None or label is None:
        return []
    words = [one.get(header[token]) for one in head]
    tags = [one.get(header[label]) for one in head]
    are_words = all(word is None or (isinstance(word, str) and len(word.split()) < 2) for word in words)
    return header if are_words and all(tag is None or isinstance(tag, str | int) for tag in tags) else []


def _are_two_lists(records: Any) -> bool:
    """Whether records are a list of tokens and one of tags; decided over all, since two words look alike."""
    if not isinstance(records, list) or not records:
        return False
    for one in records:
        if not isinstance(one, list) or len(one) != 2 or not all(isinstance(part, list) for part in one):
            return False
        if len(one[0]) != len(one[1]) or not all(isinstance(cell, str | int) for cell in (*one[0], *one[1])):
            return False
    if any(len(one[0]) != 2 for one in records):
        return True
    of_lists = {str(label) for _, labels in records for label in labels}
    of_pairs = {str(pair[1]) for pairs in records for pair in pairs}
    return is_chunked(of_lists) and not is_chunked(of_pairs)


def _records(name: str, held: Any, names: Names) -> list[Any]:
    """The records in parsed JSON; label names found next to them are added to `names`."""
    if isinstance(held, list):
        is_wrapped = bool(held) and all(
            isinstance(one, dict) and isinstance(one.get("row"), dict) for one in held
        )
        return [one["row"] for one in held] if is_wrapped else held
    if not isinstance(held, dict):
        raise ArgumentError(f"{name}: is JSON, but holds no sentences, only {held!r:.40}")
    names.update(names_in(held))
    values = list(held.values())
    if field_names.find(list(held), field_names.TOKEN) is not None and all(
        isinstance(one, list | dict) for one in values
    ):
        columns = {key: list(one.values()) if isinstance(one, dict) else one for key, one in held.items()}
        token = next(key for key in columns if field_names.normal(key) in field_names.TOKEN)
        first = columns[token]
        if first and (isinstance(first[0], list) or isinstance(held[token], dict)):  # lists by field
            fields = [key for key, one in columns.items() if len(one) == len(first)]
            return [dict(zip(fields, row)) for row in zip(*(columns[key] for key in fields))]
    if rows := _rows_of_pandas(held):
        return rows
    parts = [held[key] for key in _LISTS if isinstance(held.get(key), list)]
    if parts and not any(
        field_names.normal(key) in field_names.TOKEN and isinstance(held[key], str) for key in held
    ):
        lists = [one for part in parts for one in _records(name, part, names)]
        if lists and isinstance(lists[0], list | dict):
            return lists
    return [held]


def _rows_of_pandas(held: dict[str, Any]) -> list[Any]:
    """Records of a table that pandas wrote with separate columns, or by row number; empty for others."""
    columns, rows = held.get("columns"), held.get("data")
    lists = [columns, *rows] if isinstance(rows, list) and rows else []
    if lists and all(isinstance(one, list) and len(one) == len(lists[0]) for one in lists):
        return [dict(zip(map(str, lists[0]), row)) for row in lists[1:]]
    is_by_number = bool(held) and all(key.isdecimal() and isinstance(one, dict) for key, one in held.items())
    return list(held.values()) if is_by_number else []


def names_in(held: Mapping[str, Any]) -> dict[str, list[str]]:
    """Label names in the features of a Hugging Face data set, or in a list, by field ("" = any)."""
    found: dict[str, list[str]] = {}
    features = held.get("features", held.get("info", {}))
    features = features.get("features", features) if isinstance(features, dict) else features
    if isinstance(features, list):
        features = {one.get("name"): one.get("type") for one in features if isinstance(one, dict)}
    for key, one in features.items() if isinstance(features, dict) else ():
        if listed := _named_in(one):
            found[str(key)] = listed
    for key in ("id2label", "label_names", "label_list", "labels", "tag_names", "names"):
        one = held.get(key)
        if isinstance(one, dict) and one and all(str(k).isdecimal() for k in one):
            by_number = {int(k): str(v) for k, v in one.items()}
            found.setdefault("", [by_number.get(k, str(k)) for k in range(min(max(by_number) + 1, 100_000))])
        elif isinstance(one, list) and one and all(isinstance(v, str) for v in one):
            found.setdefault("", one)
    return found


def _named_in(feature: Any) -> list[str]:
    """The names of a ClassLabel anywhere in a feature."""
    for _ in range(6):
        if isinstance(feature, list) and len(feature) == 1:
            feature = feature[0]
        if not isinstance(feature, dict):
            return []
        if isinstance(feature.get("names"), list | dict):
            names = feature["names"]
            return [str(one) for one in (names.values() if isinstance(names, dict) else names)]
        feature = next(
            (feature[key] for key in ("feature", "list", "sequence", "class_label") if key in feature), None
        )
    return []


def table_of_records(
    name: str, records: Iterable[Any], names: Mapping[str, Sequence[str]], max_tokens: int | None, what: str
) -> TokenTable:
    """Sentences of records, each an object or a list of pairs; errors call them `what` and count from 1."""
    sentences: list[Sequence[list[str]]] = []
    places: list[int] = []
    header: tuple[str, ...] = ()
    n_tokens, is_cut, n_unnamed, n_open = 0, False, 0, 0
    kind = ""
    for number, record in enumerate(records, 1):
        if max_tokens is not None and n_tokens >= max_tokens:
            is_cut = True
            break
        where = f"{name}, sentence {number}"
        if _is_open(record):
            n_open += 1
            continue
        fields, kind = _fields_of(where, what, record)
        if not fields:
            continue
        header = header or tuple(fields)
        if tuple(fields) != header:
            fields = {key: fields.get(key, []) for key in header} if header[0] in fields else fields
            if tuple(fields) != header or any(len(one) != len(fields[header[0]]) for one in fields.values()):
                got = ", ".join(map(str, record))[:80]
                raise ArgumentError(f"{where}: must have {', '.join(header)}, as the first; got {got}")
        columns = []
        for key, values in fields.items():
            text = [
                _text(where, value, names.get(key, names.get(""))) if key != header[0] else str(value)
                for value in values
            ]
            is_numbers = any(isinstance(value, int) and value != _UNKNOWN for value in values)
            n_unnamed += key != header[0] and is_numbers and not names
            columns.append(text)
        if columns[0]:
            sentences.append(columns)
            places.append(number)
            n_tokens += len(columns[0])
    if not sentences and n_open:
        raise ArgumentError(f"{name}: is {what} of texts ({n_open:,}) that nobody has annotated yet")
    if not sentences:
        raise ArgumentError(f"{name}: is {what}, but holds no tokens")
    notes: tuple[str, ...] = ()
    if n_unnamed:
        notes = ("Labels are numbers: the file has no names for them",)
    if n_open:
        is_one = n_open == 1
        notes += (f"{n_open:,} {'text that is' if is_one else 'texts that are'} not annotated "
                  f"{'was' if is_one else 'were'} left out",)  # fmt: skip
    return TokenTable(sentences, places, len(header), "", kind, header, notes, is_cut)


def _fields_of(where: str, what: str, record: Any) -> tuple[dict[str, list[Any]], str]:
    """(tokens and the fields with a value for each token, the kind of record)."""
    if isinstance(record, list):
        if record and all(isinstance(one, dict) for one in record):
            return _of_objects(where, what, record), "records"
        return _of_pairs(where, what, record)
    if not isinstance(record, dict):
        raise ArgumentError(
            f"{where}: is {what}, but an object or list of pairs is expected, got {record!r:.40}"
        )
    tokens = next(
        (key for key in field_names.order_fields(record, field_names.TOKEN) if isinstance(record[key], list)),
        None,
    )
    if tokens is not None:
        return _of_tokens(where, what, record, tokens)
    text, spans = read_annotated(where, record)
    if text is None:
        fields = ", ".join(map(str, record))[:80]
        raise ArgumentError(
            f"{where}: is {what}, but no tokens are found in it: it has {fields or 'nothing'}; a list "
            "of tokens and one of tags are expected, or a text with spans"
        )
    if spans is None and (tagged := _tagged_words(record, text)):
        return tagged, "records"
    if spans is None and {"annotator", "annotation_id"} <= record.keys():  # Label Studio: no span in it
        spans = []
    if spans is None:
        raise ArgumentError(f"{where}: is {what} with a text, but without tags or spans for it")
    words, labels = tagged_spans(where, text, spans)
    return {"token": words, "label": labels}, "spans"


def _is_open(record: Any) -> bool:
    """Whether a record is a Label Studio task that nobody has annotated: its words are unknown, not O."""
    given = record.get("annotations", record.get("completions")) if isinstance(record, dict) else None
    if (
        not isinstance(record, dict)
        or not isinstance(record.get("data"), dict)
        or not isinstance(given, list)
    ):
        return False
    return not any(isinstance(one, dict) and not one.get("was_cancelled") for one in given)


def _tagged_words(record: dict[Any, Any], text: str) -> dict[str, list[Any]]:
    """Words and tags from two texts, separated by blanks; empty if their numbers differ."""
    words = text.split()
    tags = (
        record[key]
        for key in field_names.order_fields(record, field_names.LABEL)
        if isinstance(record[key], str)
    )
    row: list[str] = next((one.split() for one in tags), [])
    return {"token": words, "label": row} if words and len(row) == len(words) else {}


def _of_tokens(
    where: str, what: str, record: dict[Any, Any], tokens: str
) -> tuple[dict[str, list[Any]], str]:
    words = record[tokens]
    if words and all(isinstance(one, dict) for one in words):
        spans = record.get("spans")  # of Prodigy
        if not isinstance(spans, list) or not all("text" in one for one in words):
            return _of_objects(where, what, words), "records"
        return {
            tokens: [one["text"] for one in words],
            "label": labels_of_tokens(where, words, spans),
        }, "spans"
    if words and all(isinstance(one, list) for one in words):
        return _of_pairs(where, what, words)
    if not all(isinstance(one, str | int | float) for one in words):
        raise ArgumentError(f"{where}: is {what} whose {tokens!r} are no texts")
    fields = {tokens: words}
    for key, one in record.items():
        is_plain = isinstance(one, list) and all(isinstance(value, str | int | None) for value in one)
        if key != tokens and is_plain and (one or not words):
            if len(one) == len(words):
                fields[str(key)] = one
            elif field_names.normal(str(key)) in field_names.LABEL:
                got = f"{len(one)} in {key!r:.40} for {len(words)} tokens"
                raise ArgumentError(f"{where}: must have a label for each token, got {got}")
    return fields, "records"


def _of_objects(where: str, what: str, words: list[dict[Any, Any]]) -> dict[str, list[Any]]:
    """A sentence whose words are objects with a text and further fields."""
    usual = field_names.order_fields(words[0], field_names.TOKEN)
    token = next((key for key in usual if isinstance(words[0][key], str)), None)
    if token is None:
        has = ", ".join(map(str, words[0]))[:80]
        raise ArgumentError(f"{where}: is {what} of words without a text; they have {has or 'nothing'}")
    texts: list[Any] = [one.get(token) for one in words]
    fields = {token: texts}
    if not all(isinstance(one, str) for one in texts):
        raise ArgumentError(f"{where}: is {what} with a word that has no {token!r:.40}")
    for key in words[0]:
        values = [one.get(key) for one in words]
        if key != token and all(isinstance(value, str | int | None) for value in values):
            fields[str(key)] = values
    return fields


def _of_pairs(where: str, what: str, pairs: list[Any]) -> tuple[dict[str, list[Any]], str]:
    """A sentence of [token, tag] pairs, or spaCy's [text, {"entities": spans}]."""
    if len(pairs) == 2 and isinstance(pairs[0], str) and isinstance(pairs[1], dict):
        spans = spans_in(where, pairs[1].get("entities", []))
        words, labels = tagged_spans(where, pairs[0], spans)
        return {"token": words, "label": labels}, "spans"
    widths = {len(one) for one in pairs if isinstance(one, list)}
    if not pairs or len(widths) != 1 or not all(isinstance(one, list) for one in pairs) or widths == {0}:
        if not pairs:
            return {}, "records"
        raise ArgumentError(
            f"{where}: is {what}, but a list of [token, tag] pairs is expected, got {pairs!r:.40}"
        )
    columns = [list(column) for column in zip(*pairs)]
    if not all(isinstance(value, str | int) for column in columns for value in column):
        raise ArgumentError(f"{where}: is {what} whose tokens and tags are no texts, got {pairs!r:.40}")
    return {
        "token": columns[0],
        **{f"label {k}" if k > 1 else "label": c for k, c in enumerate(columns[1:], 1)},
    }, "records"


def _text(where: str, value: Any, names: Sequence[str] | None) -> str:
    """A label as text; a number becomes its name if the file has names."""
    if isinstance(value, bool) or not isinstance(value, int) or names is None or value == _UNKNOWN:
        return str(_UNKNOWN if value is None else value)
    if not 0 <= value < len(names):
        raise ArgumentError(
            f"{where}: label {value} must be a number from 0 to {len(names) - 1}, as there are names"
        )
    return names[value]
