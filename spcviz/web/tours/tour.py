"""Tours as data: scenes in order, each a URL of the app with the text to say there.

A tour is a small JSON file, ours (``shipped/``) or a visitor's, whose size is checked before it is read; its
texts are only ever shown as text. The page replaces names in braces, ``{kept}``, by its own numbers (`fill`):
no number is typed.
"""

import base64
import binascii
import contextlib
import json
import math
import re
import zlib
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import NamedTuple
from urllib.parse import parse_qsl, quote, urlencode

from spcviz.engine.errors import SpcvizError

SHIPPED = Path(__file__).parent / "shipped"
PICTURES = Path(__file__).parent / "pictures"
MAX_BYTES, MAX_SCENES = 200_000, 60
TEXTS = {
    "title": 80, "about": 400, "level": 40, "next": 40, "task": 4, "address": 7000, "say": 600, "ask": 300,
    "answer": 600, "after": 1000, "point": 120, "hide": 120, "choices": 400, "why": 800, "right": 120,
    "notes": 1000, "minutes": 4,
}  # fmt: skip
"""Longest texts of a tour and of a scene, in characters."""
OWN = "own"
"""The name of the visitor's tour in an address."""
BROUGHT = "brought"
"""The name of a tour that a link or a file brought, until it becomes the visitor's own."""
RESERVED = ("tour", "at", "ask", "in", "room", "speaker", "embed", "embed_options")
"""Names in an address that are no page's state."""
LOOK, WORD, THINK = 20.0, 0.6, 25.0
"""Seconds for looking at a scene, for speaking a word, and for thinking about a question."""
_NAME = re.compile(r"\{([a-z][a-z0-9_]*)\}")
_SWITCHES = ("controls",)
_FORMER = ("cover",)
"""Fields that scenes of older files may have and that are ignored."""
END = "end"
"""Code of the closing scene of a tour in addresses."""
MOST_SEEN = 5


class TourError(SpcvizError, ValueError):
    """A file or an address holds no tour; the message is a sentence for the visitor who brought it."""


class Scene(NamedTuple):
    """One scene."""

    address: str  # page and state: ``"letters?level=2"``; the home page is ``""``
    say: str = ""  # one or two sentences
    # ask, answer: a question, and the text shown after a guess
    ask: str = ""
    answer: str = ""
    after: str = ""  # changes of the address with the answer: ``"step=4"``
    # part of the page to look at: a CSS selector, or ``"text:..."``: the smallest element with that text
    point: str = ""
    # parts of the page, by its own names, separated by "|", that are hidden until the answer
    hide: str = ""
    controls: bool = False  # show the page's row of choices, which a tour hides otherwise
    # choices of a class, separated by "|"; without choices but with a right answer it guesses a number
    choices: str = ""
    why: str = ""  # why each choice is wrong, separated by "|"; nothing for the right one
    right: str = ""  # the right choice, or a text that contains it or the right number: ``"{kept}"``
    notes: str = ""  # for the speaker only
    minutes: str = ""  # planned; empty: computed from the texts, see `seconds`

    @property
    def page(self):
        """Name of the page in the address."""
        return self.address.partition("?")[0].strip("/")

    @property
    def hides(self):
        """Parts of the page that are hidden, by name."""
        return _split(self.hide)

    @property
    def options(self):
        """{choice: why it is wrong}; "" for the right one, and for all if no reasons are given."""
        choices = _split(self.choices)
        reasons = [reason.strip() for reason in self.why.split("|")] if self.why else []
        return dict(zip(choices, [*reasons, *[""] * len(choices)], strict=False))

    def query(self, is_answered=False):
        """State in the address: {name: text}, without names that are not part of a page's state."""
        asked = self.address.partition("?")[2]
        changes = dict(parse_qsl(self.after, keep_blank_values=True)) if is_answered else {}
        state = dict(parse_qsl(asked, keep_blank_values=True)) | changes
        return {name: value for name, value in state.items() if name not in RESERVED and value}


class Tour(NamedTuple):
    """A tour."""

    name: str  # in addresses
    title: str
    about: str
    scenes: tuple[Scene, ...]
    level: str = ""  # its audience
    # of the closing scene, which a tour without them lacks: what was seen, the next tour, a task
    seen: tuple[str, ...] = ()
    next: str = ""
    task: str = ""


def _split(text):
    """The parts of a text separated by "|", without empty ones."""
    return tuple(part.strip() for part in text.split("|") if part.strip())


def parse(text: str | bytes, name: str = OWN) -> Tour:
    """Read the tour in a JSON text, or raise a `TourError` with a sentence.

    >>> parse('{"scenes": [{"address": "letters?level=2", "say": "Look."}]}').scenes[0].query()
    {'level': '2'}
    >>> parse("[1")
    Traceback (most recent call last):
    ...
    spcviz.web.tours.tour.TourError: This is not a tour: the file is no JSON (line 1, column 3).
    """
    if len(text) > MAX_BYTES:
        size = f"{len(text):,} bytes, at most {MAX_BYTES:,} are read"
        raise TourError(f"This file is too large for a tour: {size}.")
    try:
        value = json.loads(text)
    except json.JSONDecodeError as error:
        where = f"line {error.lineno}, column {error.colno}"
        raise TourError(f"This is not a tour: the file is no JSON ({where}).") from None
    except (ValueError, RecursionError):
        raise TourError("This is not a tour: the file is no JSON text.") from None
    return of_values(value, name)


def of_values(value, name=OWN):
    """Read the tour in JSON values; see `parse`."""
    if not isinstance(value, dict) or not isinstance(value.get("scenes"), list):
        raise TourError('This is not a tour: it has no list of "scenes".')
    if len(value["scenes"]) > MAX_SCENES:
        raise TourError(f"This tour has {len(value['scenes'])} scenes; at most {MAX_SCENES} are read.")
    title, about, level = (_text(value, key, "The tour") for key in ("title", "about", "level"))
    scenes = tuple(_scene(scene, at) for at, scene in enumerate(value["scenes"], start=1))
    seen, after, task = (
        value.get("seen", []),
        _text(value, "next", "The tour"),
        _text(value, "task", "The tour"),
    )
    if not isinstance(seen, list) or len(seen) > MOST_SEEN or not all(isinstance(one, str) for one in seen):
        raise TourError(f'The tour: "seen" must be a list of at most {MOST_SEEN} texts.')
    seen = tuple(_text({"say": one}, "say", "The tour") for one in seen)
    return Tour(name, title or "A tour without a title", about, scenes, level, seen, after, task)


def _scene(value, at):
    if not isinstance(value, dict):
        raise TourError(f"Scene {at} is not a scene: it needs an address and a sentence.")
    if unknown := sorted(set(value) - set(Scene._fields) - set(_FORMER)):
        known = ", ".join(Scene._fields)
        raise TourError(f"Scene {at} has {unknown[0][:40]!r}; a scene has {known}.")
    texts = {key: _text(value, key, f"Scene {at}") for key in Scene._fields if key not in _SWITCHES}
    switches = {key: value.get(key, False) for key in _SWITCHES}
    for key, on in switches.items():
        if not isinstance(on, bool):
            raise TourError(f'Scene {at}: "{key}" must be true or false.')
    return Scene(**texts, **switches)


def _text(text, key, whose):
    value = text.get(key, "")
    if not isinstance(value, str):
        raise TourError(f'{whose}: "{key}" must be a text.')
    if len(value) > TEXTS[key]:
        raise TourError(f'{whose}: "{key}" has {len(value):,} characters; at most {TEXTS[key]} fit.')
    return "".join(c for c in value if c.isprintable() or c == " ")


def dump(tour, indent=1):
    """The JSON text of a tour; `parse` reads it.

    >>> dump(Tour("own", "Mine", "", (Scene("letters", "Look."),)), indent=None)
    '{"title": "Mine", "about": "", "scenes": [{"address": "letters", "say": "Look."}]}'
    """
    scenes = [{key: value for key, value in scene._asdict().items() if value} for scene in tour.scenes]
    content = {"title": tour.title, "about": tour.about, "scenes": scenes}
    beside = {"level": tour.level, "seen": list(tour.seen), "next": tour.next, "task": tour.task}
    content |= {name: value for name, value in beside.items() if value}
    return json.dumps(content, indent=indent, ensure_ascii=False)


def address(page, query):
    """Page and state as one text, in the form of `Scene.address`.

    >>> address("letters", {"a1": "0.5", "tour": "x"})
    'letters?a1=0.5'
    """
    asked = urlencode({n: v for n, v in query.items() if n not in RESERVED}, quote_via=quote)
    return f"{page}?{asked}" if asked else page


def codes(tour):
    """Codes of a tour's scenes and answers in addresses, in order.

    >>> codes(Tour("x", "", "", (Scene("", "a"), Scene("", "b", "why?", "so"))))
    ['1', '2', '2a']
    """
    every = []
    for number, scene in enumerate(tour.scenes, start=1):
        every += [str(number), f"{number}a"] if scene.answer else [str(number)]
    return [*every, END] if tour.seen else every


def names(text):
    """Names in braces in a sentence, in order, each once.

    >>> names("{kept} of {n}, {kept}")
    ['kept', 'n']
    """
    return list(dict.fromkeys(_NAME.findall(text)))


def seconds(scene: Scene) -> float:
    """Planned duration of a scene: as it says itself, or else from the words and the question.

    >>> seconds(Scene("letters", "Look at this.", minutes="1.5")), seconds(Scene("letters", "Look at this."))
    (90.0, 21.8)
    """
    with contextlib.suppress(ValueError):
        if 0 < (planned := float(scene.minutes)) < 1000:
            return 60 * planned
    n_words = sum(len(text.split()) for text in (scene.say, scene.ask, scene.answer))
    return round(LOOK + n_words * WORD + (THINK if scene.answer else 0), 1)


def minutes(tour: Tour) -> int:
    """Planned duration of a tour in minutes, rounded up."""
    return math.ceil(sum(map(seconds, tour.scenes)) / 60)


def describe_size(tour: Tour) -> str:
    """A tour's level and size in words.

    >>> describe_size(Tour("x", "", "", (Scene("", "a", "b", "c"),), "bachelor"))
    'bachelor · about 1 minute · 1 scene · 1 question'
    """
    counts = {"minute": minutes(tour), "scene": len(tour.scenes)}
    counts["question"] = sum(bool(scene.answer) for scene in tour.scenes)
    words = [f"{n} {name}{'s' * (n != 1)}" for name, n in counts.items()]
    return " · ".join([*([tour.level] if tour.level else []), f"about {words[0]}", *words[1:]])


def fill(text: str, facts: Mapping[str, str]):
    """A sentence with the page's own words in place of names in braces; unknown names become "…".

    >>> fill("{kept} letters of {n}", {"kept": "74"})
    '74 letters of …'
    """
    return _NAME.sub(lambda match: str(facts.get(match[1], "…")), text)


@cache
def picture(name: str) -> Path | None:
    """The small picture of a shipped tour, one of its scenes; None if there is none."""
    path = PICTURES / f"{name}.webp"
    return path if path.is_file() else None


@cache
def loop(name: str) -> Path | None:
    """The same scene as a loop; None if nothing in it plays."""
    path = PICTURES / f"{name}-loop.webp"
    return path if path.is_file() else None


@cache
def shipped_tours():
    """{name: Tour} of the shipped tours, in the order of their files: ``01-cascade.json`` is "cascade"."""
    files = sorted(SHIPPED.glob("*.json"))
    every = {path.stem.partition("-")[2]: path for path in files}
    return {name: parse(path.read_bytes(), name) for name, path in every.items()}


LONGEST = 30_000
"""Characters; longer addresses are cut off by servers and messengers."""
LONGEST_KEPT = 400_000
"""Characters that a browser may keep of a tour; no readable tour comes near."""


def pack(tour):
    """Pack a tour into a text for an address.

    >>> from spcviz.web.tours.tour import Scene, Tour
    >>> mine = Tour("own", "Mine", "", (Scene("letters?level=2", "Look."),))
    >>> unpack(pack(mine)) == mine
    True
    """
    squeezed = zlib.compress(dump(tour, indent=None).encode(), 9)
    return base64.urlsafe_b64encode(squeezed).decode().rstrip("=")


def unpack(text, longest=LONGEST):
    """Unpack the tour in an address's text of at most `longest` characters.

    Raises `TourError` with a sentence for anything else; at most `MAX_BYTES` + 1 bytes are ever unpacked.
    """
    if len(text) > longest:
        raise TourError(f"This address is too long for a tour: {len(text):,} characters.")
    try:
        squeezed = base64.b64decode(text + "=" * (-len(text) % 4), altchars=b"-_", validate=True)
        content = zlib.decompressobj().decompress(squeezed, MAX_BYTES + 1)
    except (binascii.Error, zlib.error, ValueError):
        raise TourError("This address holds no tour, or only a part of one: copy all of it.") from None
    return parse(content)
