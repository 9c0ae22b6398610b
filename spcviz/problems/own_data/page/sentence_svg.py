"""Draw a tagged sentence as running text in SVG: chunks as spans, other labels under each word."""

from collections.abc import Sequence
from html import escape
from typing import NamedTuple

from spcviz.problems.own_data.model.evaluation import chunks_of
from spcviz.scores.schemes import form_of

WIDTH = 900
_SIZE, _SMALL, _GAP, _LINE, _MARGIN = 18, 12, 8, 62, 16
_FILLS = ("#cfe3f7", "#fbe0b8", "#d5ecc8", "#f6d0d7", "#e2d6f2", "#cdeeea", "#f2e6a6", "#e6dcd2")
"""Pale enough for black letters on them, and distinguished by labels too."""
_WRONG = "#b3261e"


class Piece(NamedTuple):
    """Consecutive words, their label ("" outside), and whether that is wrong."""

    words: tuple[str, ...]
    label: str
    is_wrong: bool = False


def pieces_of(words: Sequence[str], labels: Sequence[str], gold: Sequence[str] = ()) -> list[Piece]:
    """A sentence in pieces: chunks, or single words; one is wrong if the gold labels of its words differ.

    >>> [piece[:2] for piece in pieces_of(["Ada", "Lovelace", "wrote"], ["B-PER", "I-PER", "O"])]
    [(('Ada', 'Lovelace'), 'PER'), (('wrote',), '')]
    """
    form = form_of(set(labels))
    wrong = [bool(len(gold)) and label != truth for label, truth in zip(labels, gold or labels)]
    if not form and set(labels) <= {"O", ""}:
        return [Piece((word,), "", bad) for word, bad in zip(words, wrong)]
    if not form:
        return [Piece((word,), label, bad) for word, label, bad in zip(words, labels, wrong)]
    spans = {first: (end, kind) for kind, first, end in chunks_of(labels, form)}
    pieces, at = [], 0
    while at < len(words):
        end, kind = spans.get(at, (at + 1, ""))
        label = (kind or "chunk") if at in spans else ""
        pieces.append(Piece(tuple(words[at:end]), label, any(wrong[at:end])))
        at = end
    return pieces


def svg_of(pieces: Sequence[Piece], title: str = "") -> str:
    """A picture of pieces in lines, `WIDTH` wide, with a title for those who cannot see it."""
    kinds = {
        label: k for k, label in enumerate(dict.fromkeys(piece.label for piece in pieces if piece.label))
    }
    x, y, out = _MARGIN, _MARGIN, []
    for piece in pieces:
        text = " ".join(piece.words)
        wide = max(_wide(text, _SIZE), _wide(piece.label, _SMALL)) + (14 if piece.label else 2)
        wide = min(wide, WIDTH - 2 * _MARGIN)
        if x + wide > WIDTH - _MARGIN:
            x, y = _MARGIN, y + _LINE
        out.append(_draw_piece(piece, text, x, y, wide, _FILLS[kinds.get(piece.label, 0) % len(_FILLS)]))
        x += wide + _GAP
    height = y + _LINE + _MARGIN
    size = f'viewBox="0 0 {WIDTH} {height}" width="{WIDTH}" height="{height}"'
    ground = f'<rect width="{WIDTH}" height="{height}" fill="white"/>'
    inside = f"<title>{_safe(title)}</title>{ground}{''.join(out)}"
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" {size} role="img" font-family="sans-serif">{inside}</svg>'
    )


def _draw_piece(piece: Piece, text: str, x: float, y: float, wide: float, fill: str) -> str:
    middle = x + wide / 2
    word = _text(text, middle, y + 24, _SIZE, "#111", wide - 4)
    if not piece.label and not piece.is_wrong:
        return word
    edge = f' stroke="{_WRONG}" stroke-width="2" stroke-dasharray="4 3"' if piece.is_wrong else ""
    ground = fill if piece.label else "none"
    place = f'x="{x:.1f}" y="{y}" width="{wide:.1f}" height="50"'
    box = f'<rect {place} rx="6" fill="{ground}"{edge}/>'
    said = f"✘ {piece.label or 'O'}" if piece.is_wrong else piece.label
    return box + word + _text(said, middle, y + 43, _SMALL, _WRONG if piece.is_wrong else "#333", wide - 4)


def _text(text: str, x: float, y: float, size: int, fill: str, most: float) -> str:
    fit = f' textLength="{most:.0f}" lengthAdjust="spacingAndGlyphs"' if _wide(text, size) > most > 0 else ""
    place = f'x="{x:.1f}" y="{y}" font-size="{size}" text-anchor="middle"'
    return f'<text {place} fill="{fill}"{fit}>{_safe(text)}</text>'


def _wide(text: str, size: int) -> float:
    """The approximate width of a text: East Asian characters are as wide as tall."""
    return size * sum(1.0 if ord(sign) > 0x2E80 else 0.58 for sign in text)


def _safe(text: str) -> str:
    """A text escaped for XML, with unprintable characters replaced."""
    return escape("".join(sign if sign.isprintable() else "�" for sign in text))
