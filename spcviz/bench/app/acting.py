"""What a visitor can do on a page: every widget that the server sent, and another value for it.

Nothing here knows a page: sliders, lists, choices, switches, number fields and buttons are read off the
messages, so a new page is driven without a word. Only what a component lets one drag is named, in `VIEWS`.
"""

import json
from typing import NamedTuple

from streamlit.proto.WidgetStates_pb2 import WidgetState


class Widget(NamedTuple):
    """Something to act on."""

    id: str
    kind: str  # of the element: "slider", "selectbox", "button_group", ...
    fragment: str  # of the fragment that an action reruns; empty for the whole page
    element: object  # Streamlit's message
    state: WidgetState | None  # what the browser would send of it


def _lattice(rng, n):
    """An alpha of the first level, let go of."""
    view = {"alphas": [_share(rng), *[None] * 5], "level": 1, "step": 4, "cell": ""}
    return view | {"pin_a": "", "pin_b": "", "reveal": "shown", "seq": n, "dragging": False}


def _policy(rng, n):
    return {"spend": _share(rng)}


def _trade_off(rng, n):
    view = {"budget": _share(rng), "method": "dms_pi", "kind": "units", "mode": "policy"}
    view |= {"pin_a": "", "pin_b": ""}
    return view | {"picks": "", "scored": 0, "chain": int(rng.integers(6)), "frame": 0}


def _scene(rng, n):
    return {"spend": _share(rng), "show": "labels"}


def _sentence(rng, n):
    return {"alphas": [_share(rng), None, None], "level": 1, "cell": ""}


VIEWS = {
    "spcviz_lattice": _lattice,
    "spcviz_policy": _policy,
    "spcviz_scene": _scene,
    "spcviz_sentence": _sentence,
    "spcviz_trade_off": _trade_off,
}
"""Component to what it sends when something in it was dragged; takes (rng, how many actions before)."""

DRAGS = 0.5
"""On a page with such a component this share of the actions is in it; the rest is spread over the widgets."""


def _share(rng):
    return round(float(rng.random()), 3)


def widget_of(kind, element, fragment):
    """A `Widget` of an element that can be acted on, or None."""
    if kind not in _ACTS:
        return None
    element_of_kind = getattr(element, kind)
    if kind == "bidi_component":
        is_ours = element_of_kind.component_name.split(".")[-1] in VIEWS
        return Widget(element_of_kind.id, kind, fragment, element_of_kind, None) if is_ours else None
    if element_of_kind.disabled or getattr(element_of_kind, "ignore_rerun", False) or element_of_kind.form_id:
        return None
    shown = _SHOWN.get(kind)
    return Widget(
        element_of_kind.id, kind, fragment, element_of_kind, shown(element_of_kind) if shown else None
    )


def trigger(component, name, value):
    """What a component of that id sends when something in it was pressed.

    >>> trigger("c", "act", {"kind": "leave"}).id
    '$$STREAMLIT_INTERNAL_KEY_c__events'
    """
    own = f"$$STREAMLIT_INTERNAL_KEY_{component}__events"
    state = WidgetState(id=own, json_trigger_value=json.dumps([{"event": name, "value": value}]))
    return Widget(own, "button", "", None, state)  # pressed once


def kept(before, widget):
    """A widget that came again keeps the visitor's state unless the server sets it."""
    is_set = widget.kind == "bidi_component" or not getattr(widget.element, "set_value", False)
    return widget._replace(state=before.state) if before is not None and is_set else widget


def choose(widgets: dict[str, Widget], rng) -> Widget | None:
    """A widget and its new state: something a visitor could do now; None where nothing can be changed."""
    components = [w for w in widgets.values() if w.kind == "bidi_component"]
    if components and rng.random() < DRAGS:
        return _acted(components[0], rng)
    others = [w for w in widgets.values() if w.kind != "bidi_component"]
    for at in rng.permutation(len(others)):
        acted = _acted(others[at], rng)
        if acted is not None:
            return acted
    return _acted(components[0], rng) if components else None


def _acted(widget, rng):
    state = WidgetState(id=widget.id)
    return widget._replace(state=state) if _ACTS[widget.kind](widget, state, rng) else None


def _other(rng, options, now):
    """Another of several, or None."""
    others = [option for option in options if option != now]
    return others[int(rng.integers(len(others)))] if others else None


# ------------------------------------------------------------------ what is shown, as the browser sends it


def _shown_slider(element):
    state = WidgetState(id=element.id)
    if element.options:
        values = (
            element.raw_value if element.set_value else [element.options[int(at)] for at in element.default]
        )
        state.string_array_value.data.extend(values)
    else:
        state.double_array_value.data.extend(element.value if element.set_value else element.default)
    return state


def _shown_list(element):
    if element.set_value:
        return WidgetState(id=element.id, string_value=element.raw_value)
    return (
        WidgetState(id=element.id, string_value=element.options[element.default]) if element.options else None
    )


def _shown_group(element):
    state = WidgetState(id=element.id)
    values = (
        element.raw_values if element.set_value else [element.options[at].content for at in element.default]
    )
    state.string_array_value.data.extend(values)
    return state


def _shown_number(element):
    return WidgetState(id=element.id, double_value=element.value if element.set_value else element.default)


def _shown_switch(element):
    return WidgetState(id=element.id, bool_value=element.value if element.set_value else element.default)


_SHOWN = {
    "slider": _shown_slider,
    "selectbox": _shown_list,
    "radio": _shown_list,
    "button_group": _shown_group,
    "number_input": _shown_number,
    "checkbox": _shown_switch,
}


# ------------------------------------------------------------------ what a visitor does; True if anything


def _slide(widget, state, rng):
    element = widget.element
    if element.options:
        choice = _other(rng, list(element.options), _first(widget.state.string_array_value.data))
        state.string_array_value.data.extend([choice] * len(widget.state.string_array_value.data))
        return choice is not None
    n_steps = round((element.max - element.min) / element.step)
    ends = sorted(
        element.min + element.step * rng.integers(0, n_steps + 1, len(widget.state.double_array_value.data))
    )
    state.double_array_value.data.extend(min(float(end), element.max) for end in ends)
    return n_steps > 0


def _pick(widget, state, rng):
    now = widget.state.string_value if widget.state is not None else None
    choice = _other(rng, list(widget.element.options), now)
    if choice is not None:
        state.string_value = choice
    return choice is not None


def _choose(widget, state, rng):
    now = _first(widget.state.string_array_value.data)
    choice = _other(rng, [option.content for option in widget.element.options], now)
    if choice is not None:
        state.string_array_value.data.append(choice)
    return choice is not None


def _number(widget, state, rng):
    element, now = widget.element, widget.state.double_value
    near = [
        value
        for value in (now - element.step, now + element.step)
        if not (element.has_min and value < element.min) and not (element.has_max and value > element.max)
    ]
    chosen = _other(rng, near, now)
    if chosen is not None:
        state.double_value = chosen
    return chosen is not None


def _switch(widget, state, rng):
    state.bool_value = not widget.state.bool_value
    return True


def _press(widget, state, rng):
    state.trigger_value = True
    return True


def _drag(widget, state, rng):
    name = widget.element.component_name.split(".")[-1]
    before = json.loads(widget.state.json_value)["view"].get("seq", 0) if widget.state is not None else 0
    state.json_value = json.dumps({"view": VIEWS[name](rng, before + 1)})
    return True


def _first(values):
    return values[0] if values else None


_ACTS = {
    "slider": _slide,
    "selectbox": _pick,
    "radio": _pick,
    "button_group": _choose,
    "number_input": _number,
    "checkbox": _switch,
    "button": _press,
    "bidi_component": _drag,
}
