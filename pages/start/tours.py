"""Tours: the shipped ones, and an editor for a visitor's own, with export and import."""

import streamlit as st

from spcviz.web.figures.formatting import plain
from spcviz.web.touring import own_tour, scenes, touring
from spcviz.web.touring.component import loop as loop_of
from spcviz.web.touring.component import picture as picture_of
from spcviz.web.touring.own_tour import scene_box
from spcviz.web.tours import gallery, tour
from spcviz.web.ui import layout, misread, navigation

INTRODUCTION = (
    "# Tours: walk through the app, scene by scene\n"
    "Each scene is a page made ready for you, with a sentence or two and now and then a question to answer "
    "before you look. Begin with the first. Alone: press **Start**. In a lecture: open the **projector** "
    "link in the hall's window and the **speaker** link in your own; a clicker's keys (Page Down, Page Up, B "
    "for black) move both."
)
OWN = (
    "Go to any page, set it as you like, and press **+ Scene** at its top. Your scenes appear here, where "
    "you can reorder and edit them. They stay in this browser; a file or a link takes them elsewhere."
)
ORIGINS = {"link": "A tour from a link", "file": "The tour of this file"}
ORIGINS |= {"address": "The tour of this address", "copy": "A copy"}


def link(name, more):
    """A tour's first scene, for an address."""
    return f"./?tour={name}&scene=1{more}"


def card(name, a_tour, *, number=0):
    """One tour to follow; those that ship have a number and a picture."""
    with st.container(border=True, key=f"tour_card_{name}"):
        picture = picture_of(name) if number else ""
        title = f"## {number}\\. {plain(a_tour.title)}" if number else f"## {plain(a_tour.title)}"
        st.markdown(  # one element: with one per piece a class of 40 waited a second and a half
            (f"![A scene of this tour]({picture})\n\n" if picture else "")
            + f"{title}\n{plain(a_tour.about)}\n\n:small[{plain(tour.describe_size(a_tour))}]\n\n"
            + f":small[In a lecture: [Projector]({link(name, '&embed=true')}) · "
            + f"[Speaker]({link(name, '&speaker=true&embed=true')}) · [Handout](./tours?handout={name})]"
        )
        here = navigation.file_of("pages/start/tours.py")
        st.page_link(here, label="Start", icon=":material/play_arrow:",
                     query_params={"tour": name, "scene": "1"})  # fmt: skip


def on_title():
    """Store a changed title or description of the tour."""
    texts = {name: st.session_state[f"tours_own_{name}"] for name in ("title", "about")}
    own_tour.keep(own_tour.own()._replace(**texts))


def take_file():
    """Take an uploaded file."""
    file = st.session_state["tours_file"]
    if file is not None:
        take(lambda: tour.parse(file.getvalue()), "file")


def take(read, origin):
    """Put an imported tour next to the visitor's own, or let a sentence say why not."""
    st.session_state["tours_said"] = ""
    try:
        own_tour.bring(read(), origin)
    except tour.TourError as error:
        st.session_state["tours_said"] = str(error)


def on_copy():
    """Take a copy of a shipped tour, to be changed."""
    name = st.session_state["tours_copy"]
    if name:
        own_tour.bring(tour.shipped_tours()[name], "copy")


def bring():
    """Ways to import a tour: a file, an address, or a copy of a shipped one."""
    left, middle, right = st.columns(3)
    left.file_uploader("A tour's file", type="json", key="tours_file", on_change=take_file, max_upload_size=1)
    middle.text_input(
        "Or its address",
        key="tours_address",
        max_chars=tour.LONGEST + 500,
        on_change=lambda: take(
            lambda: tour.unpack(st.session_state["tours_address"].rpartition("own=")[2]), "address"
        ),
        placeholder="paste it here",
    )
    titles = {name: shipped.title for name, shipped in tour.shipped_tours().items()}
    right.selectbox(
        "Or begin with a copy of",
        list(titles),
        index=None,
        format_func=titles.get,
        key="tours_copy",
        on_change=on_copy,
        placeholder="one of the tours here",
    )


def size(a_tour):
    """A tour's title and how long it is, for a button or a sentence."""
    n = len(a_tour.scenes)
    return f"“{plain(a_tour.title)}”, {n} scene{'s' * (n != 1)}"


def beside(brought):
    """An imported tour, and what can be done with it."""
    mine = own_tour.own()
    has_own = bool(mine.scenes)
    stays = f" Your own, {size(mine)}, stays as it is until you press a button." if has_own else ""
    st.info(f"{ORIGINS[brought.origin]}: {size(brought.tour)}. Play it, or make it yours.{stays}")
    card(tour.BROUGHT, brought.tour)
    with st.container(horizontal=True):
        st.button("Replace mine" if has_own else "Make it mine", key="tours_replace",
                  on_click=own_tour.replace)  # fmt: skip
        if has_own:
            st.button("Add its scenes to mine", key="tours_join", on_click=own_tour.join,
                      disabled=not own_tour.fits(brought.tour))  # fmt: skip
        st.button("Put it away", key="tours_away", on_click=own_tour.put_away)


def own():
    """The visitor's own tour, and an imported one next to it."""
    mine, brought = own_tour.own(), own_tour.find_brought()
    if brought:
        beside(brought)
    st.markdown(f"## Your own\n{OWN}")
    if wrong := st.session_state.get("tours_said"):
        st.warning(plain(wrong))
    bring()
    if before := own_tour.earlier():
        st.button(f"Back to my earlier tour: {size(before[0])}", key="tours_back", icon=":material/undo:",
                  on_click=own_tour.take_back)  # fmt: skip
    if not mine.scenes:
        return
    card(tour.OWN, mine)
    for name, label in (("title", "Title"), ("about", "What it is about")):
        st.session_state[f"tours_own_{name}"] = getattr(mine, name)
        st.text_input(label, key=f"tours_own_{name}", max_chars=tour.TEXTS[name], on_change=on_title)
    for at, scene in enumerate(mine.scenes):
        scene_box(at, scene, len(mine.scenes))
    st.download_button(
        "Take it away as a file", lambda: tour.dump(mine), "tour.json", "application/json",
        icon=":material/download:", on_click="ignore",
    )  # fmt: skip
    address = tour.pack(mine)
    st.caption("Or as one address; whoever opens it has the tour:")
    if len(address) <= tour.LONGEST:
        st.code(own_tour.link(st.context.url, address), language=None, wrap_lines=True)
    else:
        st.caption("This tour is too long for an address: take the file.")


def plays():
    """Play a card's loop while its picture is pointed at; the loop is fetched only then."""
    loops = {name: loop for name in tour.shipped_tours() if (loop := loop_of(name))}
    place = ":is(:hover, :focus-within) p:has(> img)::after"
    rules = "".join(
        f'.st-key-tour_card_{name}{place} {{ background-image: url("{loop}") }}\n'
        for name, loop in loops.items()
    )
    st.html(f"<style>@media (prefers-reduced-motion: no-preference) {{\n{rules}}}</style>")


def ours():
    """The tours that ship."""
    st.markdown(INTRODUCTION)
    plays()
    with st.container(key="tours_ours"):  # two per row, in order on a phone, too: a grid of room.css
        for number, (key, shipped) in enumerate(tour.shipped_tours().items(), 1):
            card(key, shipped, number=number)
        card(gallery.NAME, gallery.as_tour())


layout.use_the_room()
if (linked := st.query_params.get("own")) is not None:
    take(lambda: tour.unpack(linked), "link")
    st.session_state["tours_linked"] = True
    del st.query_params["own"]
if (name := st.query_params.get("handout")) in (every := scenes.tours()):
    touring.handout(every[name])
else:
    if name is not None:
        misread.note("handout", f"There is no tour {misread.quote(name)} to print: these are here.")
    parts = (own, ours) if "tours_linked" in st.session_state else (ours, own)
    for part in parts:  # a visitor with a link sees its tour first
        part()
