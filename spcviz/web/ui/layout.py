"""Layout that pages share: sizes of charts, widgets bound to the address, the panel that hides a picture."""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import streamlit as st

from spcviz.web.cached import ownership, visitor_files
from spcviz.web.course import questions
from spcviz.web.figures import palette
from spcviz.web.figures.pixels import ink as drawn_ink
from spcviz.web.figures.pixels import png
from spcviz.web.ui.state import StateTable

PLOT = {"theme": None, "width": "stretch"}

BAR = 130
"""Pixels that a tour's bar takes from a chart on a projector."""
ROW = 100
"""Pixels that a page's row of choices takes there, if a scene shows it."""

CHOICES = "page_choices"
"""Key of the row of a page's choices."""

SCENE_HAS_CONTROLS = "tour_has_controls"
"""Session key: whether a tour's scene shows its page's choices; unused without a tour."""

PHONE = f"<style>{Path(__file__).with_name('phone.css').read_text(encoding='utf-8')}</style>"
"""A phone's screen: the picture first, the controls below it, where the thumb is."""

PLAIN_HEADINGS = "<style>[data-testid=stHeaderActionElements] { display: none }</style>"
"""A heading has no link: the address belongs to the scene."""

ROOMY = """<style>
.stElementContainer[width$=px]:has(> .stSelectbox) { min-width: fit-content }
.stElementContainer[width$=px] > .stSelectbox input { field-sizing: content }
</style>"""
"""A selection box is as wide as its page says, and wider if its words need more."""

PROJECTOR_CSS = """<style>
html { font-size: clamp(16px, 1.25vw, 32px); }
@supports not (field-sizing: content) {
  .stElementContainer[width$=px]:has(> .stSelectbox) { min-width: 15rem }
}
</style>"""
"""For ``?embed=true``: 24 px on a screen of 1920; everything Streamlit draws is measured in rem."""


def is_projected():
    """True on a projector: the address has ``?embed=true``."""
    return bool(st.context.is_embedded)


def look(height=520, projected_height=600):
    """Palette, font scale and height in pixels of a chart, as arguments of every figure."""
    if is_projected():
        height = projected_height
        if "tour" in st.query_params:
            height -= BAR if st.session_state.get(SCENE_HAS_CONTROLS, True) else BAR - ROW
    scale = 1.72 if is_projected() else 1.0
    return {"palette": palette.palette(st.context.theme.type), "scale": scale, "height": height}


def has_controls(state: Mapping) -> bool:
    """Whether a page shows its row of choices: yes, unless its address or a tour's scene omits it."""
    return bool(state["controls"]) and st.session_state.get(SCENE_HAS_CONTROLS, True)


def use_the_room(*, is_whole: bool = False):
    """Set narrower margins than Streamlit's; with `is_whole` a page takes every pixel of a projector."""
    margins = "0.4rem 1.5rem 0" if is_whole else "4rem 1.5rem 0"
    padding = margins if is_projected() else "3rem 2rem 1rem"
    head = ".stAppHeader {display: none}" if is_whole and is_projected() else ""
    st.html(f"<style>.stMainBlockContainer {{padding: {padding}}} {head}</style>")


def show_page(body: Callable[[], object], introduction: str, *captions: str, is_whole: bool = True) -> None:
    """Show a page: introduction, body, captions; on a projector only the body. See `use_the_room`."""
    use_the_room(is_whole=is_whole)
    introduce(introduction)
    body()
    if not is_projected():
        for caption in filter(None, captions):
            st.caption(caption)


def introduce(introduction: str) -> None:
    """Show a page's heading and introduction; only the heading with a task or a tour, which say more."""
    if not is_projected():
        is_led = questions.present() or "tour" in st.query_params
        st.markdown(introduction.partition("\n")[0] if is_led else introduction)


def bind(table: StateTable, page: str, name: str, state: dict, **forget) -> dict:
    """Arguments that bind a widget to a name of a page's table; a change also writes `forget`."""
    key = f"{page}_{name}"
    st.session_state[key] = state[name]
    return {
        "key": key,
        "on_change": lambda: table.write(**{name: st.session_state[key]}, **forget),
        "label_visibility": "collapsed" if is_projected() else "visible",  # labels take space
    }


def choices(rows: int = 1):
    """The row of a page's choices, or several rows: on a phone one that is swiped, below the picture.

    Once on a page; use it with ``with``.
    """
    if rows > 1:
        return st.container(key=CHOICES)
    return st.container(key=CHOICES, horizontal=True, vertical_alignment="bottom")


def swipe_area():
    """Container for content wider than a phone, which is swiped there; once on a page, used with ``with``."""
    return st.container(key="swiped")


def segments(label, options, tie, help=None):
    """Show a choice of one of a few words: `options` maps values to their labels."""
    st.segmented_control(label, list(options), format_func=options.get, required=True, help=help, **tie)


def more(table: StateTable, state: Mapping, wordings: Mapping[str, Callable], name: str = "Settings"):
    """A closed box with a `name` for rarely used controls; next to it the `wordings` of values that differ
    from those of the first scene."""
    box = st.popover(name, icon=":material/tune:")
    if changed := differing(table, state, wordings):
        st.caption(" · ".join(changed), width="content")
    return box


def upload_box(label: str, bring: Callable[[str], Any], key: str) -> Any:
    """Show the widget of a visitor's upload, ``bring(key)``: open until there is a file, then one line.

    The picture made from it comes next: its widget is no longer needed.
    """
    with st.expander(label, expanded=st.session_state.get(key) is None):
        file = bring(key)
        if visitor_files.has_lost(ownership.visit(), file):
            st.warning(visitor_files.LOST, icon=":material/broken_image:")
    return file


def differing(table: StateTable, state: Mapping, wordings: Mapping[str, Callable]) -> list[str]:
    """The wordings of values that differ from those of a page's first scene.

    >>> from spcviz.web.ui.state import StateTable, choice
    >>> table = StateTable(choice("kind", "sum", ("sum", "max")))
    >>> differing(table, {"kind": "max"}, {"kind": "messages: {}".format})
    ['messages: max']
    >>> differing(table, {"kind": "sum"}, {"kind": "messages: {}".format})
    []
    """
    first = table.first_scene
    return [say(state[name]) for name, say in wordings.items() if state[name] != first[name]]


def missing(table: StateTable, sentences: dict[str, Callable]):
    """Say what this machine lacks and what is shown instead, by `sentences` for the requested values."""
    for name, wanted in table.missing(st.query_params).items():
        if name in sentences:
            st.info(sentences[name](wanted), icon=":material/link_off:")


def numbers(column, rows):
    """Show metrics one below the other: label, value, note, help; on a projector without the note."""
    for label, value, note, meaning in rows:
        note = None if is_projected() else note
        column.metric(label, value, note, delta_color="off", delta_arrow="off", help=meaning)


_VEIL_CSS = """.veil { display: flex; gap: 0.6rem }
.veil img { height: 30vh; max-width: calc(100%% / %d - 0.6rem); object-fit: contain }
.veil img { image-rendering: pixelated }"""
"""For pictures side by side, as large as possible: a class judges by them."""


def veil(sentence: str, *, pictures: Sequence[str] = (), alt: str = "") -> None:
    """Show a frame with the parts that stay visible, `pictures` by their addresses, and a sentence."""
    with st.container(border=True, key="course_veil"):
        if pictures:
            each = "".join(f'<img alt="{alt}" src="{picture}">' for picture in pictures)
            st.html(f"<style>{_VEIL_CSS % len(pictures)}</style><div class='veil'>{each}</div>")
        st.markdown(sentence)


def ink(pixels: np.ndarray) -> list[str]:
    """Handwritten letters (L, 16, 8) as addresses of pictures, in the text colour."""
    colour = look()["palette"].text
    return [drawn_ink(letter, colour, 6) for letter in pixels]


def photograph(pixels: np.ndarray) -> list[str]:
    """A picture (H, W, 3) uint8 as an address."""
    return [png(pixels)]
