"""Controls of the page Pose on video: its state, the picture or clip, the story, the method."""

import streamlit as st

from spcviz.problems.pose.page import cached
from spcviz.problems.pose.page import text as say
from spcviz.web.ui import layout
from spcviz.web.ui.state import LOWEST_ALPHA, StateTable, choice, flag, real, text, whole

STORIES = {"cascade": "Clips", "people": "Does it work?", "thesis": "Fig. 5.5"}
PICTURES = ("level", "heat", "all", "top", "three")
ARMS = ("four", "bought")
N_LEVELS = 7
ALPHAS = tuple(f"a{level}" for level in range(N_LEVELS))
SAID = {"method": say.METHODS.get, "show": lambda show: STORIES.get(show, "")}
NEW_CLIP = {"frame": 0, "cell": ""}


def scenes() -> dict[str, str]:
    """Kinds of pictures and clips available here, with their names in the menu."""
    always = {"camera": "Your camera", "upload": "Your own", "astronaut": "Astronaut"}
    signs = {"signs": "People signing"} if cached.SIGNS else {}
    return signs | always | ({"buffy": "Buffy"} if cached.has_buffy() else {}) | {"rendered": "Rendered"}


def table_of(kinds: dict[str, str]) -> StateTable:
    """The page's state in the address, for these kinds of pictures."""
    return StateTable(
        choice("show", "level", (*PICTURES, *ARMS, "people", "thesis")),
        choice("scene", next(iter(kinds)), kinds, elsewhere="buffy"),
        text("sign", cached.FIRST, "[a-z]{1,12}"),
        whole("seed", 5, 0, 999_999),
        whole("clip", 0, 0, cached.N_BUFFY - 1),
        whole("frame", 0, 0, 299),
        whole("level", 3, 0, N_LEVELS - 1),
        *(real(name, None, LOWEST_ALPHA, 1.0) for name in ALPHAS),
        text("cell", "", "(?:[0-4]-[0-9]{1,6})?"),
        choice("method", "single", say.METHODS),
        flag("truth", True),
        real("spend", 0.1, 0.0, 1.0),
        *(real(name, None, 0.0, 1.0) for name in ("x", "y")),
        real("size", None, 0.2, 2.0),
        flag("controls", True),
        opening={"level": 0},
    ).narrow(sign=cached.SIGNS)


def show(table: StateTable, state: dict, kinds: dict[str, str]) -> None:
    """The row of choices: the picture; behind a button, what to show and by which method."""

    def changed():
        view = st.session_state["pose_story"]
        table.write(show="level" if view == "cascade" else view)

    def tie(name, **forget):
        return layout.bind(table, "pose", name, state, **forget)

    view = state["show"] if state["show"] in STORIES else "cascade"
    st.session_state["pose_story"] = view
    hidden = {"label_visibility": "collapsed" if layout.is_projected() else "visible"}
    with layout.choices():
        if view == "cascade":
            of = {"format_func": kinds.get, "width": 200, "help": say.HELP["scene"]}
            st.selectbox("Picture", list(kinds), **of, **tie("scene", **NEW_CLIP))
            _which_clip(table, state, tie)
        with layout.more(table, state, SAID):
            tied = {"key": "pose_story", "on_change": changed} | hidden
            layout.segments("Show", STORIES, tied, say.HELP["show"])
            layout.segments("Method", say.METHODS, tie("method", cell=""), say.HELP["method"])


def _which_clip(table, state, tie):
    if state["scene"] == "signs":
        st.selectbox("Sign", cached.SIGNS, width=140, **tie("sign", **NEW_CLIP))
    if state["scene"] == "rendered":
        another = {"seed": (state["seed"] + 1) % 1_000_000} | NEW_CLIP
        st.button("Another clip", icon=":material/casino:", help=say.HELP["seed"],
                  on_click=lambda: table.write(**another))  # fmt: skip
    if state["scene"] == "buffy":
        st.selectbox("Clip", range(cached.N_BUFFY), width=110, **tie("clip", **NEW_CLIP))
