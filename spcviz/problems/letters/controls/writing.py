"""Read a drawing of the Write page, for the page's run and for a stroke's own request."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from spcviz.problems.letters.page import cached
from spcviz.problems.letters.state import WRITE
from spcviz.problems.open_words.view.component import EMPTY, write_payload
from spcviz.web.cached import ownership
from spcviz.web.lattice.component import lattice_payload
from spcviz.web.ui import callbacks, requests
from spcviz.web.ui.state import MAX_ORDER
from spcviz.web.view.mount import as_message, pack

FEATURES = cached.LETTERS_FEATURES
TABLE = WRITE.narrow(features=FEATURES)
ALPHAS = tuple(f"a{n}" for n in range(1, MAX_ORDER + 1))
SETTINGS = ("truth", "features", "order", "pin_a", "pin_b", "controls", *ALPHAS)
"""The other fields of the page's state on which a drawing's reading depends."""


class Reading(NamedTuple):
    """A drawing and the cascade's reading of it."""

    found: object  # spcviz.problems.open_words.data.drawings.Written
    trace: object  # WordTrace or None: None where no letter can be read
    text: str  # a letter for each that can be read


def read(state: dict, alphas: Sequence[float | None] | None = None) -> Reading:
    """Read the drawing of a page's state (`WRITE`), with other `alphas` in a drag ahead of the URL."""
    ink = shown_ink(state)
    drawing = cached.read_ink(ink)
    if not len(drawing.pixels):
        return Reading(drawing, None, "")
    alphas = [state[name] for name in ALPHAS] if alphas is None else alphas
    trace = cached.written_trace(ink, state["features"], state["order"], tuple(alphas), state["truth"])
    return Reading(drawing, trace, cached.reading(trace))


def is_example(state):
    """Whether nothing has been drawn yet, and a written word is shown to draw over."""
    return bool(state["example"] and not state["ink"])


def shown_ink(state):
    """The text of the strokes that are shown and read."""
    return state["ink"] or (cached.example() if state["example"] else EMPTY)


def boxes(reading, state, turn):
    """Payload for the boxes, see `spcviz.problems.open_words.view.component.write_payload`."""
    encoded = TABLE.encode(state)
    settings = {name: encoded[name] for name in SETTINGS if name in encoded}
    hint = describe_reading(reading.found, reading.text)
    example = cached.example() if is_example(state) else ""
    payload = write_payload(reading.found, state["ink"], reading.text, hint, example)
    return payload | {"turn": turn, "ask": requests.address("word"), "settings": settings}


def lattice(reading, state, turn):
    """Payload for the lattice, see `lattice_payload`; the `Reading` must have a trace."""

    def traced(features, alphas):
        return cached.written_trace(shown_ink(state), features, state["order"], alphas, state["truth"])

    with ownership.showing(cached.is_drawn(shown_ink(state))):
        payload, parts = lattice_payload(
            reading.trace,
            features=state["features"],
            order=state["order"],
            controls=bool(state["controls"]),
            pins=callbacks.traces_of_pins(state, FEATURES, traced),
        )
    return payload | {"turn": turn, "brief": True}, parts


def turn_of(value):
    """The number of a stroke as the browser counts them; 0 if invalid, since a browser may send anything."""
    return value if type(value) is int and 0 <= value < 2**53 else 0


def answer(question: dict) -> bytes:
    """A stroke's picture, packed: ``{"boxes": ..., "lattice": ...}`` as the page sends them, without views.

    `question` has ``ink`` (the example's if absent, as when a page preloads what answering needs), ``turn``
    and ``settings`` as `boxes` sent them; anything else counts as absent.
    """
    settings = question.get("settings")
    settings = settings if isinstance(settings, dict) else {}
    ink = question.get("ink", cached.example())
    state = TABLE.parse({"ink": ink, **{n: settings[n] for n in SETTINGS if n in settings}})
    turn, reading = turn_of(question.get("turn")), read(state)
    sent = {"boxes": as_message(boxes(reading, state, turn), {})}
    sent["lattice"] = as_message(*lattice(reading, state, turn)) if reading.trace is not None else b""
    return pack({name: np.frombuffer(one, "u1") for name, one in sent.items()})


def describe_reading(written, reading: str):
    """One line under the boxes: what is wrong with a `Written`, or what was read."""
    if written.problems:
        return " ".join(written.problems)
    if not len(written.pixels):
        return "Draw one small letter, a to z, in each box: as on ruled paper, not joined."
    return f"Read as “{reading}”."


def describe_loss(trace, truth: str, reading: str):
    """The errors in reading a word, once it is known what was meant."""
    if len(truth) != len(reading):
        advice = "draw or clear a box, or type as many."
        return f"You typed {len(truth)} letters, and {len(reading)} can be read: {advice}"
    wrong = sum(a != b for a, b in zip(truth, reading))
    read = "Every letter is right" if not wrong else f"{wrong} of {len(truth)} letters wrong"
    kept = "no filter has pruned what you meant"
    if fell := next((level.order for level in trace.levels if not len(level.truth_arcs)), None):
        at = f"level {max(fell - 1, 1)}"
        kept = f"what you meant was pruned at {at}: its filter loss on this word is 1"
    return f"Meant “{truth}”, read as “{reading}”. {read}; {kept}."
