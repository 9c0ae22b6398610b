"""Views of Your data: the lattice of a sentence as on the built-in pages, the sweep of thresholds, errors."""

from functools import partial

import numpy as np
import streamlit as st

from spcviz.problems.budgets.task import SENTENCES
from spcviz.problems.budgets.view.component import show_trade_off, trade_off_payload
from spcviz.problems.letters.page.sweep import loss_curves
from spcviz.problems.own_data.controls import answers
from spcviz.problems.own_data.controls.state import BUDGET, N_LEVELS, TABLE, read, settings_of, tied
from spcviz.problems.own_data.page import cached, downloads, shelf
from spcviz.problems.own_data.page import text as say
from spcviz.problems.own_data.page.charts import (
    calibration,
    calibration_error,
    confusion,
    confusions,
    learning_curve,
)
from spcviz.problems.own_data.shown import SHORT_NAMES
from spcviz.web.cached import common, ownership
from spcviz.web.course import questions
from spcviz.web.figures.filter_curves import filter_curves
from spcviz.web.figures.formatting import plain
from spcviz.web.figures.lattice_numbers import facts, values
from spcviz.web.figures.theme import CONFIG
from spcviz.web.lattice.component import lattice_payload, show_lattice
from spcviz.web.touring import touring
from spcviz.web.ui import callbacks, layout
from spcviz.web.ui.layout import veil
from spcviz.web.ui.state import LOWEST_ALPHA
from spcviz.web.view.mount import live_view

LATTICE, SPENDING = "data_lattice", "data_spending"
EASY = 11
"""Most words of a sentence that fits next to its explanation."""
MODEL = "own"
"""The name of the model in pins of this page."""


def number_of(source, state: dict) -> int:
    """The sentence in the address, if training has not seen it; else the first that is easily drawn."""
    chosen, right = source.sentences()
    if state["sentence"] in chosen:
        return state["sentence"]
    easy = [int(n) for n in chosen if 5 <= len(source.own.brought.sentences[n]) <= EASY]
    return next((n for n in easy if n in chosen[right]), (easy or [int(chosen[0])])[0])


def sentence(visit, source, state: dict) -> None:
    """The menu of held-out sentences."""
    chosen, right = source.sentences()
    names = {int(n): say.sentence(int(n), cached.title(visit, int(n)), ok) for n, ok in zip(chosen, right)}
    tie = tied("sentence", state | {"sentence": number_of(source, state)}, cell="")
    st.selectbox(say.menu(source), list(names), width=330, format_func=names.get, **tie)


@st.fragment
@common.tells_of_damage
def lattice() -> None:
    """The lattice: a separate fragment, rerun five times a second during a drag."""
    state = read()
    visit = cached.current(state["example"])
    source = cached.source_of(visit, settings_of(state), state["steps"])
    if source is None:
        return
    number = number_of(source, state)
    view = callbacks.view_of(state, LATTICE, source.n_levels)
    view["alphas"] = view["alphas"][: source.n_levels]
    view["level"] = min(view["level"], source.n_levels)
    trace = source.trace(number, tuple(view["alphas"]))
    touring.offer(facts, trace, view["level"], view["cell"])
    if not callbacks.is_dragged(LATTICE):
        questions.offer(state, values, trace, view["level"], view["cell"], None, questions.wanted_names())

    def traced(_, alphas):
        return source.trace(number, alphas[: source.n_levels])

    pins = callbacks.traces_of_pins(view, (MODEL,), traced)
    with ownership.showing():
        payload = lattice_payload(trace, features=MODEL, controls=bool(state["controls"]), pins=pins)
    taken = callbacks.commit_lattice(TABLE, LATTICE, N_LEVELS)
    show_lattice(payload, key=LATTICE, view=view, on_change=taken)
    words = visit.brought.sentences[number]
    if not layout.is_projected() and not cached.is_ink(visit):
        with st.expander("As running text"):
            gold = visit.brought.labels[number] if source.has_gold else ()
            read_as = answers.labels_of(source, number)
            title = say.own(words, read_as)
            answers.picture(words, read_as, gold, f"sentence_{number + 1}", title)
    if len(words) > cached.MAX_WORDS and not layout.is_projected():
        drawn = f"drawn are the first {cached.MAX_WORDS}, by themselves"
        st.caption(f"The sentence has {len(words)} words; {drawn}.")
    if not layout.is_projected():
        st.caption(describe_outcome(source, state))


def describe_outcome(source, state: dict) -> str:
    """The outcome of training, or of measuring scores."""
    if source.scored is None:
        return (say.read if source.is_brought else say.describe_training)(source.report)
    steps = cached.STEPS[cached.steps_of(source.own, state["steps"])]
    return say.describe_scores(source.report, len(source.report.labels), steps, source.has_gold)


def on_click() -> None:
    """Show the alpha of a curve point that was clicked."""
    points = st.session_state["data_sweep"]["selection"]["points"]
    if points:
        TABLE.write(alpha=min(max(float(points[0]["x"]), LOWEST_ALPHA), 1.0))


def sweep(source, state: dict) -> None:
    """Every threshold of a level: what it loses and what it keeps."""
    level = min(state["level"], source.n_levels)
    levels = {n: f"{n}: {SHORT_NAMES[n]}" for n in range(1, source.n_levels + 1)}
    tie = tied("level", state | {"level": level}, alpha=None)
    layout.segments("Level", levels, tie)
    curves, choice = source.sweep(level, state["tol"] / 100, state["by"], state["alpha"])
    examples = "sequences" if source.scored is not None else "sentences"
    n_test = len(source.report.levels[level - 1].test.event)
    look = layout.look(520)
    figure = loss_curves(curves, choice, names=SHORT_NAMES, examples=examples, **look)
    verdict = say.describe_sweep(level, SHORT_NAMES[level], choice, source.scored is not None, n_test)
    click = {"on_select": on_click, "selection_mode": "points"}
    st.plotly_chart(figure, key="data_sweep", alt=verdict, **click, **layout.PLOT, config=CONFIG)
    st.markdown(verdict)
    if state["alpha"] is not None:
        st.button("Back to the tolerance's α", on_click=TABLE.write, kwargs={"alpha": None})


def chosen_error() -> None:
    """Open the lattice of a row that was chosen in the table of misread tokens."""
    rows = st.session_state["data_errors"]["selection"]["rows"]
    if rows:
        number = st.session_state["data_error_numbers"][rows[0]]
        TABLE.write(sentence=number, view="lattice", cell="", level=1)


def chosen_cell() -> None:
    """List only the tokens of a cell that was clicked in the confusion matrix."""
    points = st.session_state["data_confusion"]["selection"]["points"]
    if points and points[0].get("customdata"):
        st.session_state["data_gold"], st.session_state["data_answer"] = points[0]["customdata"][:2]


def errors(source, _state: dict) -> None:
    """Misread tokens, each linked to its lattice, and which labels are mistaken for which."""
    visit, report = source.own, source.report
    mistakes = confusions(report)
    questions.offer({"top_confusion": "{} read as {}".format(*mistakes[0][:2]) if mistakes else ""})
    if "errors" in questions.hidden_parts():
        veil("What is mistaken for what stays hidden until you have guessed.")
        return
    st.markdown(plain(say.mistakes(mistakes, int((report.truth != report.guess).sum()))))
    if not mistakes:
        return
    left, right = st.columns(2, gap="medium")
    with left.container(horizontal=True):
        golds = sorted({gold for gold, _, _ in mistakes})
        given = sorted({answer for _, answer, _ in mistakes})
        for key, known in (("data_gold", golds), ("data_answer", given)):
            if st.session_state.get(key) not in known:
                st.session_state[key] = None
        gold = st.selectbox("Gold", golds, key="data_gold", placeholder="any", width=120)
        answer = st.selectbox("Read as", given, key="data_answer", placeholder="any", width=120)
        word = st.text_input("Word", key="data_word", placeholder="any", width=130)
        most = st.number_input(
            "At most words", 1, 10_000, None, key="data_longest", placeholder="any", width=130
        )
    rows = list(wrong_tokens(source, gold, answer, word, most))
    st.session_state["data_error_numbers"] = [row[0] for row in rows]
    left.caption(f"{len(rows):,} misread tokens: choose a row, and its lattice opens.")
    left.dataframe(
        {
            "word": [row[1] for row in rows],
            "gold": [row[2] for row in rows],
            "read as": [row[3] for row in rows],
            "number": [row[0] + 1 for row in rows],
            "sentence": [cached.title(visit, row[0])[:300] for row in rows],
        },
        key="data_errors",
        on_select=chosen_error,
        selection_mode="single-row",
        hide_index=True,
        height=420,
    )
    figure = confusion(report, **layout.look(520))
    click = {"on_select": chosen_cell, "selection_mode": "points"}
    right.caption("Click a cell, and its tokens alone are listed.")
    right.plotly_chart(figure, key="data_confusion", **click, **layout.PLOT, config=CONFIG)


def wrong_tokens(source, gold, answer, word: str, most):
    """(sentence, word, gold, answer) of the misread tokens that pass a filter; None passes all."""
    visit, report = source.own, source.report
    numbers = source.sentences()[0].tolist()
    wrong = np.flatnonzero(report.truth != report.guess)
    owner = np.searchsorted(report.starts, wrong, side="right") - 1
    for r, w in zip(wrong.tolist(), owner.tolist()):
        words = visit.brought.sentences[numbers[w]]
        at = r - int(report.starts[w])
        row = (
            numbers[w],
            words[at],
            visit.brought.labels[numbers[w]][at],
            report.labels[report.guess[r]],
        )
        is_wanted = gold in (None, row[2]) and answer in (None, row[3])
        if is_wanted and word.strip().lower() in words[at].lower() and (most is None or len(words) <= most):
            yield row


def sure(source, _state: dict) -> None:
    """How often an answer is right at each probability that the model gives it."""
    report = source.report
    verdict = say.sure(calibration_error(report), report.has_probabilities)
    figure = calibration(report, **layout.look(480))
    st.plotly_chart(figure, key="data_sure", alt=verdict, **layout.PLOT, config=CONFIG)
    st.markdown(verdict)


def compare(source, state: dict) -> None:
    """Labels left by max-marginals and by marginals of one model, at the same allowed loss."""
    rows, choices = source.compare(state["tol"] / 100)
    names = ("method", "alpha", "test_efficiency_loss", "test_filter_loss")
    points = [
        (choice.key, choice.threshold, 100 * choice.kept_share, 100 * choice.lost_test) for choice in choices
    ]
    tuned = {1: [dict(zip(names, one)) for one in points]}
    of = {"names": {1: "labels"}, "examples": "sentences", "show_fold": False, "is_zoomed": False}
    figure = filter_curves(rows, tuned, **of, **layout.look(480))
    text = say.describe_rules(choices, state["tol"] / 100, len(source.report.labels))
    st.plotly_chart(figure, key="data_compare", alt=text, **layout.PLOT, config=CONFIG)
    st.markdown(text)


def from_spending() -> None:
    """The budget view's callback: write what was set in the browser to the address."""
    if view := live_view(SPENDING):
        TABLE.write(**{BUDGET.get(name, name): view[name] for name in (*BUDGET, "pin_a", "pin_b")})


@st.fragment
def spending() -> None:
    """Where every policy spends the budget, in the Trade-off page's view."""
    state = read()
    visit = cached.current(state["example"])
    bought = visit and shelf.get_purchases(visit, settings_of(state))
    if bought is None:
        return
    batch = bought.batch._replace(drawn=[visit.brought.sentences[n] for n in bought.batch.chain_ids.tolist()])
    view = {name: state[BUDGET.get(name, name)] for name in (*BUDGET, "pin_a", "pin_b")}
    payload = trade_off_payload(batch, shelf.spent_on(visit, settings_of(state)), SENTENCES)
    shown = show_trade_off(payload, key=SPENDING, view=view, on_change=from_spending, on_open=lambda: None)
    if shown.get("open"):
        TABLE.write(sentence=int(shown["open"]["chain"]), view="lattice", cell="", level=1)
        st.rerun()


def begin_to_spend() -> None:
    """Start to learn to buy features, with the settings in the address."""
    state = read()
    shelf.start_job(cached.current(state["example"]), settings_of(state), "budget")


def budget(source, state: dict) -> None:
    """What each policy reaches with the same budget for features."""
    visit = source.own
    bought = shelf.get_purchases(visit, settings_of(state))
    if visit.brought.scores is not None:
        st.info(say.NO_FEATURES)
    elif bought is None:
        st.markdown(say.SPEND_FIRST)
        st.button("Learn to buy", type="primary", on_click=begin_to_spend, disabled=visit.job is not None)
    else:
        spending()
        st.markdown(say.describe_purchases(bought, source.report, source.is_brought))


def begin_curve() -> None:
    """Start to train on parts of the sentences, with the settings in the address."""
    state = read()
    shelf.start_job(cached.current(state["example"]), settings_of(state), "curve")


def curve(source, state: dict) -> None:
    """How good the model would be with fewer sentences, and whether more would help."""
    visit = source.own
    if visit.brought.scores is not None or source.is_brought:
        st.info(say.NO_CURVE)
        return
    learned = shelf.get_learning_curve(visit, settings_of(state))
    if learned is None:
        st.markdown(say.CURVE_FIRST)
        st.button("Train on parts", type="primary", on_click=begin_curve, disabled=visit.job is not None)
        return
    verdict = say.describe_learning(learned)
    st.markdown(verdict)
    figure = learning_curve(learned, **layout.look(440))
    st.plotly_chart(figure, key="data_curve", alt=verdict, **layout.PLOT, config=CONFIG)
    st.dataframe(
        {
            "sentences": [point.n_sentences for point in learned.points],
            "tokens": [point.n_tokens for point in learned.points],
            "features": [point.n_features for point in learned.points],
            "F1 %": [round(100 * point.f1[0], 2) for point in learned.points],
            "F1, 95 %": [say.span(*point.f1[1:]) for point in learned.points],
            "tokens right %": [round(100 * point.right[0], 2) for point in learned.points],
            "tokens right, 95 %": [say.span(*point.right[1:]) for point in learned.points],
        },
        hide_index=True,
    )


def take(source, state: dict) -> None:
    """Downloads: tables, the model, and the Python script that repeats it all."""
    visit = source.own
    script = downloads.script(source, settings_of(state), state["steps"], number_of(source, state))
    files = {
        name: (f"{name}.csv", partial(downloads.table, source, name), f"{name}.csv", "text/csv")
        for name in downloads.tables_of(source)
    }
    if source.model:
        files["model"] = ("Model (.zip)", downloads.model_file(source), "model.zip", "application/zip")
    if visit.example:
        name, data = downloads.example_file(visit)
        files["example"] = ("The example", data, name, "text/plain")
    files["python"] = ("Python", script, "your_data.py", "text/x-python")
    with st.container(horizontal=True):
        for key, file in files.items():
            about = {"key": f"data_take_{key}", "help": say.MODEL_HELP if key == "model" else None}
            st.download_button(*file, on_click="ignore", **about)
    st.caption(say.TAKE)
    st.code(script, language="python", height=420)


def show(source, state: dict) -> None:
    """Show the chosen view."""
    view = state["view"]
    if not layout.is_projected():
        answers.verdict(source, state)
        if view != "lattice":
            st.caption(describe_outcome(source, state))
    if not source.has_gold and view not in ("lattice", "take", "own", "weights"):
        st.info(say.NO_GOLD)
    elif view == "lattice":
        lattice()
    else:
        _SHOW[view](source, state)


_SHOW = {
    "sweep": sweep, "errors": errors, "sure": sure, "compare": compare, "budget": budget, "take": take,
    "scores": answers.scores, "own": answers.own_sentence, "runs": answers.all_runs,
    "weights": answers.weights, "curve": curve,
}  # fmt: skip
