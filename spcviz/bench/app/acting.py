"""What a visitor can do on a page: every widget that the page sent, and another value for it.

Nothing here knows a page: sliders, lists, choices, switches, number fields and buttons are read off the
messages, so a new page is driven without a word. Only what a component lets one drag is named, in `VIEWS`.
"""

import json
from typing import NamedTuple

from streamlit.proto.WidgetStates_pb2 import WidgetState


class Widget(NamedTuple):
    """Something to act on."""

    id: str
    kind: str  # of the element: "slider", "selectbox", "button_group",
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


VIEWS = {
    "spcviz_lattice": _lattice,
    "spcviz_policy": _policy,
    "spcviz_scene": _scene,
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
    own = getattr(element, kind)
    if kind == "bidi_component":
        is_ours = own.component_name.split(".")[-1] in VIEWS
        return Widget(own.id, kind, fragment, own, None) if is_ours else None
    if own.disabled or getattr(own, "ignore_rerun", False) or own.form_id:
        return None
    shown = _SHOWN.get(kind)
    return Widget(own.id, kind, fragment, own, shown(own) if shown else None)


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


def _shown_slider(own):
    state = WidgetState(id=own.id)
    if own.options:
        values = own.raw_value if own.set_value else [own.options[int(at)] for at in own.default]
        state.string_array_value.data.extend(values)
    else:
        state.double_array_value.data.extend(own.value if own.set_value else own.default)
    return state


def _shown_list(own):
    if own.set_value:
        return WidgetState(id=own.id, string_value=own.raw_value)
    return WidgetState(id=own.id, string_value=own.options[own.default]) if own.options else None


def _shown_group(own):
    state = WidgetState(id=own.id)
    values = own.raw_values if own.set_value else [own.options[at].content for at in own.default]
    state.string_array_value.data.extend(values)
    return state


def _shown_number(own):
    return WidgetState(id=own.id, double_value=own.value if own.set_value else own.default)


def _shown_switch(own):
    return WidgetState(id=own.id, bool_value=own.value if own.set_value else own.default)


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
    own = widget.element
    if own.options:
        found = _other(rng, list(own.options), _first(widget.state.string_array_value.data))
        state.string_array_value.data.extend([found] * len(widget.state.string_array_value.data))
        return found is not None
    n_steps = round((own.max - own.min) / own.step)
    ends = sorted(
        own.min + own.step * rng.integers(0, n_steps + 1, len(widget.state.double_array_value.data))
    )
    state.double_array_value.data.extend(min(float(end), own.max) for end in ends)
    return n_steps > 0


def _pick(widget, state, rng):
    now = widget.state.string_value if widget.state is not None else None
    found = _other(rng, list(widget.element.options), now)
    if found is not None:
        state.string_value = found
    return found is not None


def _choose(widget, state, rng):
    now = _first(widget.state.string_array_value.data)
    found = _other(rng, [option.content for option in widget.element.options], now)
    if found is not None:
        state.string_array_value.data.append(found)
    return found is not None


def _number(widget, state, rng):
    own, now = widget.element, widget.state.double_value
    near = [
        value
        for value in (now - own.step, now + own.step)
        if not (own.has_min and value < own.min) and not (own.has_max and value > own.max)
    ]
    found = _other(rng, near, now)
    if found is not None:
        state.double_value = found
    return found is not None


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
