"""Actions for a load test: every widget that the server sent, and another value that a visitor may give it.

No page is hard-coded: sliders, lists, choices, switches, number fields and buttons are read from the
messages, so a new page needs no code here. Only the draggable parts of components are listed, in `VIEWS`.
"""

import json
import math
from typing import NamedTuple

from streamlit.proto.WidgetStates_pb2 import WidgetState


class Widget(NamedTuple):
    """A widget that a visitor can act on."""

    id: str
    kind: str  # of the element: "slider", "selectbox", "button_group", ...
    fragment: str  # of the fragment that an action reruns; empty for the whole page
    element: object  # Streamlit's message
    state: WidgetState | None  # what the browser would send of it


_PINS = {"pin_a": "", "pin_b": ""}
VIEWS = {
    "spcviz_lattice": lambda rng, n: {
        "alphas": [_share(rng), *[None] * 5], "level": 1, "step": 4, "cell": "", "reveal": "shown", "seq": n,
        "dragging": False, **_PINS,
    },
    "spcviz_policy": lambda rng, n: {"spend": _share(rng)},
    "spcviz_scene": lambda rng, n: {"spend": _share(rng), "show": "labels"},
    "spcviz_sentence": lambda rng, n: {"alphas": [_share(rng), None, None], "level": 1, "cell": ""},
    "spcviz_trade_off": lambda rng, n: {
        "budget": _share(rng), "method": "dms_pi", "kind": "units", "mode": "policy", "picks": "",
        "scored": 0, "chain": int(rng.integers(6)), "frame": 0, **_PINS,
    },
}  # fmt: skip
"""Component -> function of (rng, number of earlier actions) that returns what it sends after a drag."""

DRAGS = 0.5
"""On a page with such a component this share of the actions is in it; the rest is spread over the widgets."""


def _share(rng):
    return round(float(rng.random()), 3)


def widget_of(kind, element, fragment):
    """A `Widget` of an element that can be acted on, or None."""
    if kind not in _ACTS:
        return None
    proto = getattr(element, kind)
    if kind == "bidi_component":
        can_act = proto.component_name.split(".")[-1] in VIEWS
    else:
        can_act = not (proto.disabled or getattr(proto, "ignore_rerun", False) or proto.form_id)
    return Widget(proto.id, kind, fragment, proto, _value_of(kind, proto)) if can_act else None


def trigger(component, name, value):
    """What a component of that id sends when something in it is pressed.

    >>> trigger("c", "act", {"kind": "leave"}).id
    '$$STREAMLIT_INTERNAL_KEY_c__events'
    """
    widget_id = f"$$STREAMLIT_INTERNAL_KEY_{component}__events"
    state = WidgetState(id=widget_id, json_trigger_value=json.dumps([{"event": name, "value": value}]))
    return Widget(widget_id, "button", "", None, state)  # pressed once


def carry_over(before, widget):
    """A widget that is sent again keeps the visitor's state unless the server sets it."""
    is_set = widget.kind == "bidi_component" or not getattr(widget.element, "set_value", False)
    return widget._replace(state=before.state) if before is not None and is_set else widget


def choose(widgets: dict[str, Widget], rng) -> Widget | None:
    """A widget and its new state: something a visitor could do now; None where nothing can be changed."""
    components = [w for w in widgets.values() if w.kind == "bidi_component"]
    if components and rng.random() < DRAGS:
        return _act(components[0], rng)
    others = [w for w in widgets.values() if w.kind != "bidi_component"]
    order = [others[at] for at in rng.permutation(len(others))] + components[:1]
    return next((acted for widget in order if (acted := _act(widget, rng)) is not None), None)


def _act(widget, rng):
    state = WidgetState(id=widget.id)
    return widget._replace(state=state) if _ACTS[widget.kind](widget, state, rng) is not None else None


def _other(rng, options, now):
    """Another of several, or None."""
    others = [option for option in options if option != now]
    return others[int(rng.integers(len(others)))] if others else None


def _value_of(kind, element):
    """The value that an element shows, as the browser sends it; None if there is none."""
    state, is_set = WidgetState(id=element.id), getattr(element, "set_value", False)
    texts, numbers = state.string_array_value.data, state.double_array_value.data
    if kind == "slider" and element.options:
        texts.extend(element.raw_value if is_set else [element.options[int(at)] for at in element.default])
    elif kind == "slider":
        numbers.extend(element.value if is_set else element.default)
    elif kind == "button_group":
        texts.extend(
            element.raw_values if is_set else [element.options[at].content for at in element.default]
        )
    elif kind in ("selectbox", "radio") and (is_set or element.options):
        state.string_value = element.raw_value if is_set else element.options[element.default]
    elif kind == "number_input":
        state.double_value = element.value if is_set else element.default
    elif kind == "checkbox":
        state.bool_value = element.value if is_set else element.default
    else:
        return None
    return state


# ------------------------------------------------------------------ what a visitor does; None if nothing


def _slide(widget, state, rng):
    element, before = widget.element, widget.state
    if element.options:
        texts = before.string_array_value.data
        choice = _other(rng, list(element.options), _first(texts))
        state.string_array_value.data.extend([choice] * len(texts))
        return choice
    n_steps = round((element.max - element.min) / element.step)
    ends = element.min + element.step * rng.integers(0, n_steps + 1, len(before.double_array_value.data))
    state.double_array_value.data.extend(min(float(end), element.max) for end in sorted(ends))
    return n_steps or None


def _pick(widget, state, rng):
    now = widget.state.string_value if widget.state is not None else None
    if (choice := _other(rng, list(widget.element.options), now)) is not None:
        state.string_value = choice
    return choice


def _choose(widget, state, rng):
    now = _first(widget.state.string_array_value.data)
    choice = _other(rng, [option.content for option in widget.element.options], now)
    state.string_array_value.data.extend([] if choice is None else [choice])
    return choice


def _number(widget, state, rng):
    element, now = widget.element, widget.state.double_value
    low = element.min if element.has_min else -math.inf
    high = element.max if element.has_max else math.inf
    near = [value for value in (now - element.step, now + element.step) if low <= value <= high]
    if (choice := _other(rng, near, now)) is not None:
        state.double_value = choice
    return choice


def _switch(widget, state, rng):
    state.bool_value = not widget.state.bool_value
    return state


def _press(widget, state, rng):
    state.trigger_value = True
    return state


def _drag(widget, state, rng):
    name = widget.element.component_name.split(".")[-1]
    before = json.loads(widget.state.json_value)["view"].get("seq", 0) if widget.state is not None else 0
    state.json_value = json.dumps({"view": VIEWS[name](rng, before + 1)})
    return state


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
