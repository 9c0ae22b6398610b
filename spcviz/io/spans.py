"""Convert character spans, as annotation tools write them, to BIO labels of words."""

import re
from itertools import pairwise
from typing import Any

from spcviz.engine.errors import ArgumentError
from spcviz.io import field_names

_WORD = re.compile(r"\w+(?:[-'’.]\w+)*|[^\w\s]")
_SPANS = ("label", "labels", "entities", "spans", "annotations")
Spans = list[tuple[int, int, str]]


def read_annotated(where: str, record: dict[Any, Any]) -> tuple[str | None, Spans | None]:
    """(text, spans) of a record of doccano, spaCy, Prodigy or Label Studio."""
    data = record.get("data")
    if isinstance(data, dict) and ("annotations" in record or "completions" in record):
        texts = [
            data[key]
            for key in field_names.order_fields(data, field_names.TOKEN)
            if isinstance(data[key], str)
        ]
        texts = texts or [one for one in data.values() if isinstance(one, str)]
        given = record.get("annotations", record.get("completions"))
        last = (
            [one for one in given if isinstance(one, dict) and not one.get("was_cancelled")]
            if isinstance(given, list)
            else []
        )
        return (texts[0] if texts else None), spans_in(where, last[0].get("result", []) if last else [])
    text = next(
        (
            record[key]
            for key in field_names.order_fields(record, ("text", "data", *field_names.TOKEN))
            if isinstance(record[key], str)
        ),
        None,
    )
    given = next((record[key] for key in _SPANS if isinstance(record.get(key), list)), None)
    return text, None if given is None else spans_in(where, given)


def spans_in(where: str, given: Any) -> Spans:
    """Spans (from, to, kind) in any of the usual forms; of Label Studio's results, only the labels."""
    spans = []
    for one in given if isinstance(given, list) else [given]:
        if isinstance(one, dict) and (one.get("type") == "relation" or {"from_id", "to_id"} <= one.keys()):
            continue
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
    """The words of running text: letters and digits together, every other character on its own.

    >>> words_in("Don't wait, it's 3.5 km-long!")
    ["Don't", 'wait', ',', "it's", '3.5', 'km-long', '!']
    """
    return _WORD.findall(text)


def tagged_spans(where: str, text: str, spans: Spans) -> tuple[list[str], list[str]]:
    """(words, BIO labels) of a text with spans of characters; `ArgumentError` if they do not fit its words.

    >>> tagged_spans("text", "Maria Skov sings.", [(0, 10, "PER")])
    (['Maria', 'Skov', 'sings', '.'], ['B-PER', 'I-PER', 'O', 'O'])
    """
    edges = {edge for start, end, _ in spans for edge in (start, end)}
    words = [piece for found in _WORD.finditer(text) for piece in _cut(*found.span(), edges)]
    labels, at, before = ["O"] * len(words), 0, 0
    for start, end, kind in sorted(spans):
        if not 0 <= start < end <= len(text):
            size = f"{len(text)} characters"
            raise ArgumentError(f"{where}: span {start} to {end} must lie in its text of {size}")
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
    """A word, split where a span begins or ends within it: "Skov's" with a span of "Skov" becomes two."""
    if end - start == 1:
        return [(start, end)]
    cuts = [start, *(at for at in range(start + 1, end) if at in edges), end]
    return list(pairwise(cuts))


def labels_of_tokens(where: str, words: list[dict[Any, Any]], spans: Any) -> list[str]:
    """BIO labels of Prodigy's tokens, from its spans' first and last tokens or their characters."""
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
