"""Policy: one word, for which several policies buy features letter by letter, compared at one budget."""

from functools import partial

import streamlit as st

from spcviz.problems.budgets import facts
from spcviz.problems.words.page import cached, scenes
from spcviz.problems.words.shown import (
    CHOSEN,
    DEVELOPMENT,
    EXTRACTORS,
    EXTRACTORS_HELP,
    FIRST,
    LOOKED_AT,
    LOOKED_AT_HELP,
    ORIGIN,
)
from spcviz.problems.words.state import POLICY
from spcviz.problems.words.view.component import policy_payload, show_policy
from spcviz.web.cached import common
from spcviz.web.course import questions
from spcviz.web.touring import touring
from spcviz.web.ui.callbacks import commit_drag
from spcviz.web.ui.layout import bind, choices, has_controls, is_projected, more, segments, show_page

KEY = "policy"
INTRODUCTION = (
    "# Policy: what should I look at next?\n"
    "One word, read from free pixels. Each policy decides for which **letter** to compute costlier features; "
    "then only messages that change are sent again. One slider spends for all policies."
)
WAITS = "What the policies buy later stays hidden until you have guessed."
tie = partial(bind, POLICY, "policy")
TOLERANCES = {0.0: "exact", 0.1: "0.1", 0.25: "0.25", 0.5: "0.5", 0.75: "0.75"}
TOLERANCES_HELP = (
    "After a purchase, messages run along the word only while they change by more than q (relative to the "
    "spread at that letter). Exact: until nothing changes at all."
)
# Wordings of the settings in the closed box, shown next to it.
SAID = {
    "vocabulary": LOOKED_AT.get,
    "q": lambda q: f"messages below {q} stop" if q else "all messages",
    "kind": lambda _: "in measured time",
    "extractor": lambda name: f"features by {EXTRACTORS[name]}",
}


def pick(state, words):
    """The row of choices."""
    texts = {word["word_id"]: f"{word['text']} (word {word['word_id']})" for word in words}
    with choices():
        of = {"format_func": texts.get, "width": 300}
        st.selectbox("Word: type to search", list(texts), **of, **tie("word", state))
        box = more(POLICY, state, SAID)
    with box:
        segments("Words", LOOKED_AT, tie("vocabulary", state, word=-1), LOOKED_AT_HELP)
        segments("Stop messages below q", TOLERANCES, tie("q", state), TOLERANCES_HELP)
        segments("Cost", {"units": "units", "us": "measured time"}, tie("kind", state))
        segments("Features computed by", EXTRACTORS, tie("extractor", state), EXTRACTORS_HELP)


@st.fragment
@common.tells_of_damage
def policy():
    """The choices and the picture."""
    vocabulary = POLICY.parse(st.query_params)["vocabulary"]
    words = cached.budget_words(vocabulary)
    ids = [word["word_id"] for word in words]
    first = FIRST[vocabulary] if FIRST[vocabulary] in ids else ids[0]
    table = POLICY.narrow(word=[first, *ids])
    state, most = table.read(), None
    if "later" in questions.hidden_parts():
        most = table.parse(questions.asked_state())["spend"]
        state["spend"] = min(state["spend"], most)
    if has_controls(state):
        pick(state, words)
    trace = cached.policy_word(vocabulary, state["word"], state["q"], state["extractor"])
    touring.offer(facts.word, trace, state)
    questions.offer(state, facts.word_values, trace, state)
    touring.offer_python(scenes.policy_lines(state))
    identity = f"{vocabulary}|{state['word']}|{state['q']}|{state['extractor']}|{state['kind']}"
    spent = commit_drag(POLICY, KEY, ("spend", "panels"))
    sent = policy_payload(trace, identity, state["kind"], most=most)
    show_policy(sent, key=KEY, view=state, on_change=spent)
    if most is not None:
        st.caption(WAITS)
    elif not is_projected():
        about = DEVELOPMENT if vocabulary == "dev" else ""
        chosen = CHOSEN if (vocabulary, state["word"]) == ("dev", first) else ""
        st.caption(about + chosen + ORIGIN)


show_page(common.tells_of_damage(policy), INTRODUCTION, is_whole=False)
