"""Tours: those that ship, and one's own: order, sentences, questions, taken away and brought back."""

import streamlit as st

from spcviz.tours import packed, tour
from spcviz.ui import touring
from spcviz.ui.layout import use_the_room

INTRODUCTION = (
    "#### Tours: walk through the app, scene by scene\n"
    "Each scene is a page made ready for you, with a sentence or two and now and then a question to answer "
    "before you look. Alone: press **Start**. In a lecture: open the **projector** link in the hall's "
    "window and the **speaker** link in your own; a clicker's keys (Page Down, Page Up, B for black) move "
    "both."
)
OWN = (
    "Go to any page, set it as you like, and press **+ Scene** in its head. The scenes come here, where they "
    "can be put in order and written. They stay in this browser; file and address take them elsewhere."
)
HELP = {
    "say": "One or two sentences. Names in braces, {kept}, become the page's own numbers.",
    "after": "What changes in the address with the answer, for example: step=4",
    "point": "A part to look at: a CSS selector, or text: and some words of the page.",
}


def link(name, more):
    """A tour's first scene, for an address."""
    return f"./?tour={name}&scene=1{more}"


def card(name, found):
    """One tour to follow."""
    with st.container(border=True):
        st.subheader(tour.plain(found.title), anchor=False)
        st.text(found.about)
        asks = sum(bool(scene.answer) for scene in found.scenes)
        st.caption(f"{len(found.scenes)} scenes, {asks} of them with a question")
        with st.container(horizontal=True):
            st.page_link(
                "pages/start/tours.py",
                label="Start",
                icon=":material/play_arrow:",
                query_params={"tour": name, "scene": "1"},
            )
            st.markdown(
                f"[Projector]({link(name, '&embed=true')}) · "
                f"[Speaker]({link(name, '&speaker=true&embed=true')}) · [Handout](./tours?handout={name})"
            )


def change(scenes):
    """The visitor's own tour with other scenes."""
    touring.keep(touring.own()._replace(scenes=tuple(scenes)))


def move(at, by):
    """A scene up or down."""
    scenes = list(touring.own().scenes)
    scenes.insert(at + by, scenes.pop(at))
    change(scenes)
    shown = st.session_state
    shown[opened(at)], shown[opened(at + by)] = shown[opened(at + by)], shown[opened(at)]


def drop(at):
    """A scene less."""
    scenes = list(touring.own().scenes)
    del scenes[at]
    change(scenes)
    for below in range(at, len(scenes)):
        st.session_state[opened(below)] = st.session_state[opened(below + 1)]


def opened(at):
    """The key that says whether a scene's box is open."""
    return f"tours_open_{at}"


def written(at, field, key):
    """A text of a scene was changed."""
    scenes = list(touring.own().scenes)
    scenes[at] = scenes[at]._replace(**{field: st.session_state[key]})
    change(scenes)
    st.session_state[opened(at)] = True  # with another heading it would be another box, and closed


def field(scene, at, name, label, lines=False):
    """One text of a scene."""
    key = f"tours_{name}_{at}"
    st.session_state[key] = getattr(scene, name)
    box = st.text_area if lines else st.text_input
    of = {"max_chars": tour.TEXTS[name], "on_change": written, "args": (at, name, key)}
    box(label, key=key, help=HELP.get(name), **of)


def scene_box(at, scene, n):
    """One scene to edit; only an open box has fields: those of all scenes take a tenth of a second."""
    first = scene.say or scene.ask or scene.address
    box = st.expander(f"{at + 1}. {tour.plain(first[:70])}", key=opened(at), on_change="rerun")
    if not box.open:
        return
    with box:
        field(scene, at, "address", "Address: page and state")
        field(scene, at, "say", "Sentence", lines=True)
        field(scene, at, "ask", "Question")
        field(scene, at, "answer", "Its answer", lines=True)
        left, right = st.columns(2)
        with left:
            field(scene, at, "after", "Changes with the answer")
        with right:
            field(scene, at, "point", "Part to look at")
        with st.container(horizontal=True):
            key = f"tours_do_{at}"
            st.button("Up", key=f"{key}_up", on_click=move, args=(at, -1), disabled=at == 0)
            st.button("Down", key=f"{key}_down", on_click=move, args=(at, 1), disabled=at == n - 1)
            st.button("Delete", key=f"{key}_drop", on_click=drop, args=(at,))
            st.page_link(
                "pages/start/tours.py",
                label="Try",
                icon=":material/play_arrow:",
                query_params={"tour": tour.OWN, "scene": str(at + 1)},
            )


def titled():
    """The tour's title or description was changed."""
    texts = {name: st.session_state[f"tours_own_{name}"] for name in ("title", "about")}
    touring.keep(touring.own()._replace(**texts))


def take_file():
    """A file was brought."""
    file = st.session_state["tours_file"]
    if file is not None:
        take(lambda: tour.parse(file.getvalue()), "file")


def take_address(text):
    """An address with a tour was opened, or pasted."""
    take(lambda: packed.unpack(text), "address")


def take(read, what):
    """What was brought becomes the visitor's own tour, or a sentence says why not."""
    try:
        touring.keep(read())
        st.session_state["tours_said"] = ("", f"The tour of this {what} is below, under “Your own”.")
    except tour.TourError as error:
        st.session_state["tours_said"] = (str(error), "")


def copied():
    """A tour that ships becomes the visitor's own, to be changed."""
    name = st.session_state["tours_copy"]
    if name:
        touring.keep(tour.shipped()[name])


def bring():
    """File, address or one of ours."""
    left, middle, right = st.columns(3)
    left.file_uploader("A tour's file", type="json", key="tours_file", on_change=take_file, max_upload_size=1)
    middle.text_input(
        "Or its address",
        key="tours_address",
        max_chars=packed.LONGEST + 500,
        on_change=lambda: take_address(st.session_state["tours_address"].rpartition("own=")[2]),
        placeholder="paste it here",
    )
    titles = {name: found.title for name, found in tour.shipped().items()}
    right.selectbox(
        "Or begin with a copy of",
        list(titles),
        index=None,
        format_func=titles.get,
        key="tours_copy",
        on_change=copied,
        placeholder="one of the tours above",
    )


@st.fragment
def own():
    """The visitor's own tour: a fragment, as nothing else of the page depends on it."""
    mine = touring.own()
    st.markdown("#### Your own")
    st.markdown(OWN)
    wrong, well = st.session_state.pop("tours_said", ("", ""))
    if wrong:
        st.warning(wrong)
    if well:
        st.success(well)
    bring()
    if not mine.scenes:
        return
    card(tour.OWN, mine)
    for name, label in (("title", "Title"), ("about", "What it is about")):
        st.session_state[f"tours_own_{name}"] = getattr(mine, name)
        st.text_input(label, key=f"tours_own_{name}", max_chars=tour.TEXTS[name], on_change=titled)
    for at, scene in enumerate(mine.scenes):
        scene_box(at, scene, len(mine.scenes))
    st.download_button(
        "Take it away as a file",
        lambda: tour.dump(mine),
        "tour.json",
        "application/json",
        icon=":material/download:",
        on_click="ignore",
    )
    address = packed.pack(mine)
    st.caption("Or as one address; whoever opens it has the tour:")
    if len(address) <= packed.LONGEST:
        st.code(f"/tours?own={address}", language=None, wrap_lines=True)
    else:
        st.caption("This tour is too long for an address: take the file.")


use_the_room()
if (brought := st.query_params.get("own")) is not None:
    take_address(brought)
    del st.query_params["own"]
if (name := st.query_params.get("handout")) in (every := touring.tours()):
    touring.handout(every[name])
else:
    st.markdown(INTRODUCTION)
    columns = st.columns(2)
    for at, (key, found) in enumerate(tour.shipped().items()):
        with columns[at % 2]:
            card(key, found)
    own()
