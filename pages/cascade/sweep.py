"""Sweep: a filter at every threshold at once, its losses and savings, and whether they hold on new words."""

import streamlit as st

from spcviz.problems.letters.controls import thresholds
from spcviz.problems.letters.controls.thresholds import TABLE
from spcviz.problems.letters.page import cached, scenes
from spcviz.problems.letters.page import sweep as figures
from spcviz.problems.letters.page import sweep_text as say
from spcviz.problems.letters.state import LETTERS
from spcviz.web.cached import common
from spcviz.web.course import questions
from spcviz.web.figures.filter_curves import filter_curves
from spcviz.web.figures.theme import CONFIG
from spcviz.web.touring import touring
from spcviz.web.ui import layout, navigation, results
from spcviz.web.ui.layout import veil
from spcviz.web.ui.state import LOWEST_ALPHA, MAX_ORDER, PINS, list_pinned

LOOK, PLOT = layout.look(), layout.PLOT | {"config": CONFIG}


def on_click():
    """Make the alpha of a clicked curve point the page's."""
    points = st.session_state["sweep_chart"]["selection"]["points"]
    if points:
        TABLE.write(alpha=min(max(float(points[0]["x"]), LOWEST_ALPHA), 1.0))


def open_letters(state, alpha):
    """The link that shows this alpha at work on a word."""
    level, order = state["level"], max(4, min(state["level"] + 1, MAX_ORDER))
    asked = {"features": state["features"], "level": level, "order": order, f"a{level}": float(alpha)}
    label, query = f":material/draw: See α = {alpha:.3f} prune a word", LETTERS.encode(asked)
    st.page_link(navigation.file_of("pages/cascade/letters.py"), label=label, query_params=query)


def choices_of_pins(state):
    """{pin: (features, what its α does at this level)} of the pins whose model has this level."""
    choices, how = {}, (state["tol"] / 100, state["by"] == "definition")
    for pin, (_, features, alphas) in list_pinned(state).items():
        is_there = features in cached.LETTERS_FEATURES and cached.sweep_level(features, state["level"])
        if is_there:
            choices[pin] = features, cached.sweep_choice(features, state["level"], *how, alphas[0])
    return choices


def pin_cards(state, chosen, pins, box):
    """Cards A and B: pinned settings next to those shown; buttons in the box that pin the α in force."""
    for pin, name in PINS.items():
        if not state[name]:
            now = f"{state['features']}:{round(float(chosen.alpha), 6)}"
            if box is not None:
                box.button(f"Pin {pin}", on_click=TABLE.write, kwargs={name: now}, help=say.HELP["pin"])
            continue
        with st.container(horizontal=True, vertical_alignment="center"):
            text = say.describe_pinned(*pins[pin], state) if pin in pins else "has no such level"
            st.markdown(f"**{pin}**: {text}")
            if pin in pins:
                features, choice = pins[pin]
                use = {"features": features, "alpha": float(choice.alpha)}
                st.button("use", key=f"sweep_use_{pin}", on_click=TABLE.write, kwargs=use)
            drop = {"on_click": TABLE.write, "kwargs": {name: ""}, "help": f"Unpin {pin}"}
            st.button("✕", key=f"sweep_drop_{pin}", **drop)


def curves(state, level, chosen, box):
    """Step curves, the alpha, and its cost on words not used for tuning."""
    chart, numbers = st.columns([4, 1], gap="medium")
    touring.offer(say.facts, level, chosen, state)
    questions.offer(state, say.values, chosen, state)
    is_told, splits = "test" not in questions.hidden_parts(), ("dev", "test")
    rows = say.figures(level, chosen, state)
    if not is_told:
        rows, splits = say.without_test(rows), ("dev",)
        level, chosen = level._replace(test=level.dev), chosen._replace(test=chosen.dev)
    for label, value, note, meaning in rows:
        chip = {} if layout.is_projected() else {"delta": note, "delta_color": "off", "delta_arrow": "off"}
        numbers.metric(label, value, help=meaning, **chip)
    pins = choices_of_pins(state)
    shown = {pin: choice.alpha for pin, (name, choice) in pins.items() if name == state["features"]}
    is_zoomed = state["zoom"] == "low"
    figure = figures.loss_curves(level, chosen, pins=shown, is_zoomed=is_zoomed, splits=splits, **LOOK)
    verdict = say.verdict(chosen, state) if is_told else say.WAITS
    click = {"on_select": on_click, "selection_mode": "points"}
    with chart:
        st.markdown(verdict)
        st.plotly_chart(figure, key="sweep_chart", alt=verdict, **click, **PLOT)
        with st.container(horizontal=True, vertical_alignment="center"):
            open_letters(state, chosen.alpha)
            if state["alpha"] is not None:
                st.button("Back to the tolerance's α", on_click=TABLE.write, kwargs={"alpha": None})
            else:
                st.caption(say.CLICK if layout.is_projected() else f"{say.CLICK} {say.LEGEND}")
        pin_cards(state, chosen, pins, box)


def rules(state):
    """Both threshold rules in one picture, and the loss that they have in common."""
    both, share = cached.sweep_rules(state["features"], state["level"]), state["tol"] / 100
    if both is None:
        return st.info(f"The stored model has no level {state['level']}; choose a lower one.")
    touring.offer(say.rules_facts, both, share)
    if "rules" in questions.hidden_parts():
        veil("Both lines, at the same loss, once you have guessed.")
        return None
    sentence = say.rules_sentence(both, share)
    st.plotly_chart(figures.rule_curves(both, share, **LOOK), alt=sentence, **PLOT)
    return st.markdown(sentence)


def choose_guaranteed(state):
    """(choice at the promised tolerance, choice as tuned); a sentence in place of an impossible promise."""
    of = (state["features"], state["level"], state["tol"] / 100, state["by"] == "definition", state["alpha"])
    plain, guarantee = cached.sweep_choice(*of), say.GUARANTEES[state["promise"]]
    if guarantee is None or state["alpha"] is not None:
        return plain, plain
    return cached.sweep_promised(*of[:4], guarantee), plain


def filters(state):
    """SPC against perceptron and CRF filters."""
    if state["features"] in cached.OPEN:
        return st.info(say.ONLY_FEW_WORDS)
    with results.said_if_damaged("ocr-sweep"):
        compare_filters(state, (common.result("ocr-sweep") or {}).get("rows", []))
    return None


def compare_filters(state, every):
    """The filters of one set of features."""
    rows = [row for row in every if row["features"] == state["features"]]
    if not rows:
        return st.info(say.missing("ocr-sweep", state["features"]))
    tuned = {n: cached.filters_tuned(state["features"], n, state["tol"]) for n in {r["level"] for r in rows}}
    touring.offer(say.filters_facts, tuned)
    sentence, is_zoomed = say.filters(tuned, state["tol"]), state["zoom"] == "low"
    figure = filter_curves(rows, tuned, split=state["split"], is_zoomed=is_zoomed, **LOOK)
    st.plotly_chart(figure, alt=sentence, **PLOT)
    return st.markdown(sentence)


def bound(state, level, chosen):
    """Theorem 1 with its terms, and Theorem 2 for the same filter as an ensemble."""
    of = (state["features"], level.level, chosen.alpha, state["margin"])
    terms, ensemble = cached.sweep_bound(*of), cached.sweep_ensemble_bound(*of, state["models"])
    touring.offer(say.bound_facts, terms)
    questions.offer(state | {"vacuous": bool(terms.filter_loss.is_vacuous)})
    if "bound" in questions.hidden_parts():
        veil(say.BOUND_WAITS)
        return
    st.markdown(sentence := say.bound(terms, state["features"] in cached.OPEN))
    look, is_projected = layout.look(projected_height=495), layout.is_projected()
    st.plotly_chart(figures.both_bounds(terms, ensemble, **look), alt=sentence, **PLOT)
    left, right = st.columns(2) if is_projected else (st.container(), st.container())
    with left.expander("Theorem 2 beside it: many models that decide together"):
        st.markdown(figures.beside(terms, ensemble))
    with right.expander("Every symbol, with its number", expanded=not is_projected):
        st.markdown(say.bound_symbols(terms, level))
    of = (state["features"], state["level"], state["tol"] / 100, False)
    kept = {name: cached.sweep_promised(*of, say.GUARANTEES[name]) for name in ("mean", "certain")}
    st.markdown(say.beside_theorems(cached.sweep_choice(*of), kept))


def page():
    """Controls, cached calls, a figure."""
    if not cached.LETTERS_FEATURES:
        return st.error(
            common.why_missing(
                cached.NONE.format("ocr"),
                *cached.MODEL_NAMES,
            )
        )
    state = TABLE.narrow(features=cached.LETTERS_FEATURES).read()
    of = (state["features"], state["level"])
    level = None if state["show"] == "filters" else cached.sweep_level(*of)
    if state["tol"] is None:
        state["tol"] = round(100 * level.tolerance, 9) if level else 0.5
    touring.offer_python(scenes.sweep_lines(state))
    box = thresholds.show(state) if layout.has_controls(state) else None
    if state["show"] == "filters":
        return filters(state)
    if level is None:
        return st.info(f"The stored model has no level {state['level']}; choose a lower one.")
    if state["show"] == "rules":
        return rules(state)
    chosen, plain = choose_guaranteed(state)
    if isinstance(chosen, str):
        st.warning(f"This cannot be promised: {chosen}.")
        chosen = plain
    elif chosen is not plain and "test" not in questions.hidden_parts():
        st.markdown(say.cost(plain, chosen, state["promise"]))
    return curves(state, level, chosen, box) if state["show"] == "curves" else bound(state, level, chosen)


layout.show_page(common.tells_of_damage(page), say.INTRODUCTION, is_whole=False)
