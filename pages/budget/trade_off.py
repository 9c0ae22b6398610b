"""Trade-off: one budget spent on a batch of words, clips, sentences or street pictures."""

from functools import partial

import numpy as np
import streamlit as st

from spcviz.problems.budgets import evidence, facts, scenes, spending
from spcviz.problems.budgets.spending import SET_BY_BROWSER, looks_of, trade_off_table
from spcviz.problems.budgets.task import introduction, task_help, trade_tasks
from spcviz.problems.budgets.view.component import show_trade_off, trade_off_payload
from spcviz.web.cached import common
from spcviz.web.course import questions
from spcviz.web.touring import touring
from spcviz.web.ui import callbacks, navigation
from spcviz.web.ui.layout import bind, choices, has_controls, is_projected, more, segments, show_page

KEY = "trade_off"
TASKS = trade_tasks()
TABLE = trade_off_table(TASKS, lambda name: evidence.first_scene(TASKS[name]))
VIEW_NAMES = (*SET_BY_BROWSER, *looks_of(TASKS))
tie = partial(bind, TABLE, "trade_off")
ANEW = {"picks": "", "scored": 0, **dict.fromkeys(looks_of(TASKS), 0)}


def another():
    """Another batch, drawn by the next seed so that the address repeats it."""
    TABLE.write(seed=(TABLE.parse(st.query_params)["seed"] + 1) % 1_000_000, **ANEW)


def open_task():
    """Open another task with its own first scene."""
    task = st.session_state["trade_off_task"]
    opened = TABLE.parse({"task": task})
    TABLE.write(**ANEW, **{name: opened[name] for name in ("task", "vocabulary", "method", "budget", "kind")})


def pick(state, task):
    """The row of choices: task, batch and cost."""
    with choices():
        if len(TASKS) > 1:
            labels = {name: one.label for name, one in TASKS.items()}
            choosing = tie("task", state) | {"on_change": open_task}
            of = {"format_func": labels.get, "width": 240, "help": task_help(TASKS.values())}
            st.selectbox("Task", list(labels), **of, **choosing)
        st.button(
            f"Other {task.examples}",
            on_click=another,
            icon=":material/casino:",
            help="The seed in the address repeats them.",
        )
        box = more(TABLE, state, said_of(task))
    with box:
        if task.kinds:
            segments("Which", task.kinds, tie("vocabulary", state, **ANEW), task.kinds_help)
        segments("Batch", task.batches, tie(task.size, state, **ANEW))
        segments("Cost", {"units": "units", "us": "measured time"}, tie("kind", state), task.cost_help)
        for one in task.choices:
            segments(one.label, one.options, tie(one.name, state, picks="", scored=0), one.help)


def said_of(task):
    """Wordings of the settings behind the button."""
    kinds = {"vocabulary": lambda kind: task.kinds.get(kind, kind)} if task.kinds else {}
    sizes = {task.size: lambda n: task.batches.get(n, str(n))}
    chosen = {one.name: lambda value, one=one: str(one.options.get(value, value)) for one in task.choices}
    return kinds | sizes | {"kind": lambda _: "in measured time"} | chosen


def current():
    """(the page's state, its task)."""
    state = spending.apply_game(TABLE.read())
    task = TASKS[state["task"]]
    if state[task.size] not in task.batches:
        state[task.size] = task.batch or next(iter(task.batches))
    if task.kinds and state["vocabulary"] not in task.kinds:
        state["vocabulary"] = next(iter(task.kinds))
    return state, task


@st.fragment
@common.tells_of_damage
def trade_off():
    """The choices and the picture."""
    state, task = current()
    wanted = st.query_params.get("vocabulary")
    if wanted != state["vocabulary"] and wanted in (task.elsewhere or {}):
        st.info(task.elsewhere[wanted], icon=":material/link_off:")
    if has_controls(state) and state["mode"] != spending.MODE:
        pick(state, task)
    picture()
    if not is_projected():
        st.caption(task.origin)


def seen_of(names, method):
    """Methods not hidden ("rivals" hides all but the chosen one, a name its own method); () for all."""
    hidden = questions.hidden_parts()
    seen = (method,) if "rivals" in hidden else tuple(name for name in names if name not in hidden)
    return seen if len(seen) < len(names) else ()


@st.fragment
@common.tells_of_damage
def picture():
    """One cached call, then the component: a separate fragment, rerun when the budget slider is released."""
    state, task = current()
    identity = "|".join([state["task"], *(str(state[name]) for name in task.identity)])
    batch = task.make(state)
    touring.offer(facts.batch, batch, state)
    questions.offer(state, facts.batch_values, batch, state)
    touring.offer_python(scenes.trade_off_lines(batch.task, state))
    names = [m.name for m in batch.methods]
    method = state["method"] if state["method"] in names else names[0]
    only = seen_of(names, method)
    identity += f"|{' '.join(only)} alone" if only else ""
    has_evidence = task.evidence and not only
    known = evidence.says(task.evidence(state) if has_evidence else None, method, state["budget"])
    is_game = state["mode"] == spending.MODE
    plan = {"day": state["day"], "shares": list(spending.SHARES)} if is_game else None
    touring.offer_poll(partial(spending.poll, state, batch) if is_game else None)
    payload = trade_off_payload(batch, identity, task, "" if is_game else known, plan, only)
    view = {name: state[name] for name in VIEW_NAMES}
    taken = callbacks.commit_drag(TABLE, KEY, VIEW_NAMES)
    shown = show_trade_off(payload, key=KEY, view=view, on_change=taken, on_open=lambda: None)
    opened = shown.get("open") or {}
    if "game" in opened:
        day = spending.day_of(str(opened["game"])).isoformat()
        query = {"mode": spending.MODE, "day": day} if opened["game"] else {}
        st.switch_page(navigation.find_page("trade_off"), query_params=query)
    if "chain" in opened and task.opens:
        page, query = task.opens(int(np.clip(shown["open"]["chain"], 0, 10_000_000)), state)
        st.switch_page(navigation.file_of(page), query_params=query)


show_page(trade_off, introduction(TASKS.values()), is_whole=False)
