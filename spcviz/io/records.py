"""Sentences in JSON: an object a sentence, with lists of tokens and tags, or a text with spans of signs.

=====================  =========================================================================
tokens and tags        ``{"tokens": [...], "ner_tags": [...]}``: Hugging Face, and most tools
pairs                  ``[[["Maria", "B-PER"], ["sings", "O"]], ...]``
spans                  ``{"text": ..., "label": [[0, 5, "PER"]]}``: doccano, spaCy, Prodigy
results                ``{"data": {"text": ...}, "annotations": [...]}``: Label Studio
=====================  =========================================================================

They come as a list, as one object a line (JSON Lines), as lists by field, by split, or as the rows of a
server's answer. Spans become BIO labels of words; a word that a span begins or ends in is cut there.
"""

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Any

from spcviz.engine.errors import ArgumentError
from spcviz.io import named
from spcviz.io.columns import Table

_WORD = re.compile(r"\w+(?:[-'’.]\w+)*|[^\w\s]")
_SPANS = ("label", "labels", "entities", "spans", "annotations")
_LISTS = ("rows", "data", "examples", "documents", "sentences", "train", "validation", "test", "dev")
_UNKNOWN = -100

UNKNOWN_LABELS = frozenset((str(_UNKNOWN), f"{_UNKNOWN}.0"))
"""What stands in a table for a label that is not known; .0 where a tool had a column of numbers with gaps."""

Spans = list[tuple[int, int, str]]


Names = dict[str, Sequence[str]]
"""Names of labels by the field that has their numbers; of any other field under ""."""


def looks_like_json(text: str) -> bool:
    """Whether a text begins as JSON does: with an object, or with a list of lists or objects.

    >>> looks_like_json('[{"id": 1}]'), looks_like_json("[ O"), looks_like_json('{"a": 1}')
    (True, False, True)
    """
    return bool(re.match(r"\ufeff?\s*(?:\{\s*[\"}]|\[\s*[\[{\"]|\[\s*\]\s*$)", text[:200]))


def parse(name: str, text: str) -> Any:
    """What a text of JSON or of JSON Lines holds; `ArgumentError` with the line if it is neither."""
    lines = [line for line in text.splitlines()[:3] if line.strip()]
    if len(lines) > 1 and all(line.rstrip().endswith(("}", "]")) for line in lines):
        try:
            return [_loaded(line) for line in text.split("\n") if line.strip()]
        except (ValueError, RecursionError):
            pass
    try:
        return _loaded(text)
    except RecursionError:
        raise ArgumentError(f"{name}: is JSON that is nested too deeply to be read") from None
    except ValueError as error:
        at = f", line {error.lineno}" if isinstance(error, json.JSONDecodeError) else ""
        raise ArgumentError(f"{name}{at}: is JSON that cannot be read: {error.args[0]:.80}") from None


def _loaded(text: str) -> Any:
    return json.loads(text, parse_constant=lambda word: None)


def table_of_json(name: str, text: str, max_tokens: int | None = None) -> Table:
    """Sentences of a text of JSON; `ArgumentError`, with what it has, if there are no tokens in it."""
    names: Names = {}
    return table_of_records(name, _records(name, parse(name, text), names), names, max_tokens, "JSON")


def _records(name: str, held: Any, names: Names) -> list[Any]:
    """The records in what JSON holds; `names` takes the names of labels that stand beside them."""
    if isinstance(held, list):
        is_wrapped = bool(held) and all(
            isinstance(one, dict) and isinstance(one.get("row"), dict) for one in held
        )
        return [one["row"] for one in held] if is_wrapped else held
    if not isinstance(held, dict):
        raise ArgumentError(f"{name}: is JSON, but holds no sentences, only {held!r:.40}")
    names.update(names_in(held))
    values = list(held.values())
    if named.find(list(held), named.TOKEN) is not None and all(
        isinstance(one, list | dict) for one in values
    ):
        columns = {key: list(one.values()) if isinstance(one, dict) else one for key, one in held.items()}
        first = next(iter(columns[key] for key in columns if named.normal(key) in named.TOKEN), [])
        if first and isinstance(first[0], list | dict):  # lists by field
            fields = [key for key, one in columns.items() if len(one) == len(first)]
            return [dict(zip(fields, row)) for row in zip(*(columns[key] for key in fields))]
    parts = [held[key] for key in _LISTS if isinstance(held.get(key), list)]
    if parts and not any(named.normal(key) in named.TOKEN and isinstance(held[key], str) for key in held):
        lists = [one for part in parts for one in _records(name, part, names)]
        if lists and isinstance(lists[0], list | dict):
            return lists
    return [held]


def names_in(held: Mapping[str, Any]) -> dict[str, list[str]]:
    """Names of labels in the features of a Hugging Face data set, or a list of them, by field ("" = any)."""
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
    """The names of a ClassLabel somewhere in a feature."""
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
) -> Table:
    """Sentences of records, an object or a list of pairs each; errors call them `what`, and count from 1."""
    sentences: list[Sequence[list[str]]] = []
    places: list[int] = []
    header: tuple[str, ...] = ()
    n_tokens, is_cut, n_unnamed = 0, False, 0
    kind = ""
    for number, record in enumerate(records, 1):
        if max_tokens is not None and n_tokens >= max_tokens:
            is_cut = True
            break
        where = f"{name}, sentence {number}"
        fields, kind = _fields_of(where, what, record)
        if not fields:
            continue
        header = header or tuple(fields)
        if tuple(fields) != header:
            fields = {key: fields.get(key, []) for key in header} if header[0] in fields else fields
            if tuple(fields) != header or any(len(one) != len(fields[header[0]]) for one in fields.values()):
                raise ArgumentError(
                    f"{where}: must have {', '.join(header)}, as the first; got {', '.join(record)[:80]}"
                )
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
    if not sentences:
        raise ArgumentError(f"{name}: is {what}, but holds no tokens")
    notes = ("Labels are numbers: the file has no names for them",) if n_unnamed else ()
    return Table(sentences, places, len(header), "", kind, header, notes, is_cut)


def _fields_of(where: str, what: str, record: Any) -> tuple[dict[str, list], str]:
    """(tokens and what has a value for each of them, what kind of record it is)."""
    if isinstance(record, list):
        return _of_pairs(where, what, record)
    if not isinstance(record, dict):
        raise ArgumentError(
            f"{where}: is {what}, but an object or list of pairs is expected, got {record!r:.40}"
        )
    tokens = next((key for key in _ordered(record, named.TOKEN) if isinstance(record[key], list)), None)
    if tokens is not None:
        return _of_tokens(where, what, record, tokens)
    text, spans = _annotated(where, record)
    if text is None:
        fields = ", ".join(map(str, record))[:80]
        raise ArgumentError(
            f"{where}: is {what}, but no tokens are found in it: it has {fields or 'nothing'}; a list "
            "of tokens and one of tags are expected, or a text with spans"
        )
    if spans is None:
        raise ArgumentError(f"{where}: is {what} with a text, but without tags or spans for it")
    words, labels = tagged_spans(where, text, spans)
    return {"token": words, "label": labels}, "spans"


def _ordered(record: Mapping, wanted: Sequence[str]) -> Iterator[str]:
    by_name = {named.normal(str(key)): key for key in record}
    return (by_name[key] for key in wanted if key in by_name)


def _of_tokens(where: str, what: str, record: dict, tokens: str) -> tuple[dict[str, list], str]:
    words = record[tokens]
    if words and all(isinstance(one, dict) and "text" in one for one in words):  # Prodigy
        spans = record.get("spans", [])
        return {
            tokens: [one["text"] for one in words],
            "label": _of_token_spans(where, words, spans),
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
            elif named.normal(str(key)) in named.LABEL:
                got = f"{len(one)} in {key!r:.40} for {len(words)} tokens"
                raise ArgumentError(f"{where}: must have a label for each token, got {got}")
    return fields, "records"


def _of_pairs(where: str, what: str, pairs: list) -> tuple[dict[str, list], str]:
    """A sentence of [token, tag] pairs, or spaCy's [text, {"entities": spans}]."""
    if len(pairs) == 2 and isinstance(pairs[0], str) and isinstance(pairs[1], dict):
        spans = _spans_in(where, pairs[1].get("entities", []))
        words, labels = tagged_spans(where, pairs[0], spans)
        return {"token": words, "label": labels}, "spans"
    is_two = len(pairs) == 2 and all(
        isinstance(one, list) and one and isinstance(one[0], str) for one in pairs
    )
    if is_two and len(pairs[0]) == len(pairs[1]) != 2:
        return {"token": pairs[0], "label": pairs[1]}, "records"
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
    """A label: a number by its name, where the file has names."""
    if isinstance(value, bool) or not isinstance(value, int) or names is None or value == _UNKNOWN:
        return str(_UNKNOWN if value is None else value)
    if not 0 <= value < len(names):
        raise ArgumentError(
            f"{where}: label {value} must be a number from 0 to {len(names) - 1}, as there are names"
        )
    return names[value]


# ---- texts with spans


def _annotated(where: str, record: dict) -> tuple[str | None, Spans | None]:
    """(text, spans) of a record of doccano, spaCy, Prodigy or Label Studio."""
    data = record.get("data")
    if isinstance(data, dict) and ("annotations" in record or "completions" in record):
        texts = [data[key] for key in _ordered(data, named.TOKEN) if isinstance(data[key], str)]
        texts = texts or [one for one in data.values() if isinstance(one, str)]
        given = record.get("annotations", record.get("completions"))
        last = (
            [one for one in given if isinstance(one, dict) and not one.get("was_cancelled")]
            if isinstance(given, list)
            else []
        )
        return (texts[0] if texts else None), _spans_in(where, last[0].get("result", []) if last else [])
    text = next(
        (
            record[key]
            for key in _ordered(record, ("text", "data", *named.TOKEN))
            if isinstance(record[key], str)
        ),
        None,
    )
    given = next((record[key] for key in _SPANS if isinstance(record.get(key), list)), None)
    return text, None if given is None else _spans_in(where, given)


def _spans_in(where: str, given: Any) -> Spans:
    """Spans (from, to, kind) in any of their usual forms; of Label Studio's results those that are labels."""
    spans = []
    for one in given if isinstance(given, list) else [given]:
        if isinstance(one, dict) and isinstance(one.get("value"), dict):
            if not any(isinstance(one["value"].get(key), list) for key in ("labels", "hypertextlabels")):
                continue
            one = one["value"]
        if isinstance(one, list | tuple) and len(one) >= 3:
            start, end, kind = one[:3]
        elif isinstance(one, dict):
            start = next((one[key] for key in ("start", "start_offset", "begin") if key in one), None)
            end = next((one[key] for key in ("end", "end_offset") if key in one), None)
            kind = next(
                (
                    one[key]
                    for key in ("label", "labels", "hypertextlabels", "tag", "type", "entity")
                    if key in one
                ),
                None,
            )
            kind = kind[0] if isinstance(kind, list) and kind else kind
        else:
            start = end = kind = None
        if not isinstance(start, int) or not isinstance(end, int) or not isinstance(kind, str) or not kind:
            raise ArgumentError(
                f"{where}: is JSON whose spans are expected as [from, to, label], got {one!r:.60}"
            )
        spans.append((start, end, kind))
    return spans


def words_in(text: str) -> list[str]:
    """The words of running text: letters and digits together, each other sign by itself.

    >>> words_in("Don't wait, it's 3.5 km-long!")
    ["Don't", 'wait', ',', "it's", '3.5', 'km-long', '!']
    """
    return _WORD.findall(text)


def tagged_spans(where: str, text: str, spans: Spans) -> tuple[list[str], list[str]]:
    """(words, BIO labels) of a text with spans of signs, or `ArgumentError` if they do not fit its words.

    >>> tagged_spans("text", "Maria Skov sings.", [(0, 10, "PER")])
    (['Maria', 'Skov', 'sings', '.'], ['B-PER', 'I-PER', 'O', 'O'])
    """
    edges = {edge for start, end, _ in spans for edge in (start, end)}
    words = [piece for found in _WORD.finditer(text) for piece in _cut(*found.span(), edges)]
    labels, at, before = ["O"] * len(words), 0, 0
    for start, end, kind in sorted(spans):
        if not 0 <= start < end <= len(text):
            raise ArgumentError(f"{where}: span {start} to {end} must lie in its text of {len(text)} signs")
        if start < before:
            raise ArgumentError(f"{where}: spans must not overlap, got another one at {start}")
        while at < len(words) and words[at][1] <= start:
            at += 1
        first = at
        while at < len(words) and words[at][0] < end:
            labels[at] = f"{'I' if at > first else 'B'}-{kind}"
            at += 1
        before = end
    return [text[a:b] for a, b in words], labels


def _cut(start: int, end: int, edges: set[int]) -> list[tuple[int, int]]:
    """A word, cut where a span begins or ends within it: "Skov's" with a span of "Skov" is two."""
    if end - start == 1:
        return [(start, end)]
    cuts = [start, *(at for at in range(start + 1, end) if at in edges), end]
    return list(pairwise(cuts))


def _of_token_spans(where: str, words: list[dict], spans: Any) -> list[str]:
    """BIO labels of Prodigy's tokens, by its spans' first and last token or by their signs."""
    labels = ["O"] * len(words)
    for one in spans if isinstance(spans, list) else []:
        kind = one.get("label") if isinstance(one, dict) else None
        if not isinstance(kind, str):
            raise ArgumentError(f"{where}: is JSON whose spans need a label, got {one!r:.60}")
        first, last = one.get("token_start"), one.get("token_end")
        if first is None or last is None:
            inside = [
                k
                for k, word in enumerate(words)
                if one.get("start", 0) <= word.get("start", -1) < one.get("end", 0)
            ]
        elif isinstance(first, int) and isinstance(last, int) and 0 <= first <= last < len(words):
            inside = list(range(first, last + 1))
        else:
            inside = []
        if not inside:
            raise ArgumentError(f"{where}: a span must lie on its tokens, got {one!r:.60}")
        for k in inside:
            labels[k] = f"{'B' if k == inside[0] else 'I'}-{kind}"
    return labels
