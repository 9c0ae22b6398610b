"""The base class of the views: whose view state wins, messages to the server, parts received once."""

import re

import numpy as np

from spcviz.web.view import mount
from tests.node import needs_node, run_node

# A view without a page: it draws and measures nothing.
STUB = """
globalThis.document = { createElement: () => ({ setAttribute() {}, append() {}, addEventListener() {} }) };
const told = [];
class Bare extends core.View {
  steps = 0;
  playButton = { textContent: "" };
  take() {}
  resize() {}
  draw() {}
  rewind() { this.steps = 0; }
  advance() { this.steps += 1; return this.steps < 3; }
}
const view = new Bare();
const give = (identity, epoch, cut) => {
  const data = { identity, epoch, view: { cut } };
  view.update({ setStateValue: (name, value) => told.push([name, value]) }, data);
  return view.view.cut;
};
const rest = (ms) => new Promise((done) => setTimeout(done, ms));
"""


@needs_node
def test_the_servers_view_wins_when_it_is_news_and_nobody_drags(tmp_path):
    body = (
        STUB
        + """
    const seen = [give("a", 1, 0.1)];
    view.set({ cut: 0.2 }, true);
    seen.push(give("a", 1, 0.3), give("a", 2, 0.4), give("b", 2, 0.5));
    view.drag = true;
    view.set({ cut: 0.6 }, true);
    seen.push(give("b", 3, 0.7));
    process.stdout.write(JSON.stringify(seen));"""
    )
    assert run_node(tmp_path, "web/view/view.js", body, None) == [0.1, 0.2, 0.4, 0.5, 0.6]


@needs_node
def test_the_server_is_told_once_changes_rest_and_not_in_a_drag(tmp_path):
    body = (
        STUB
        + """
    give("a", 1, 0);
    for (const cut of [0.1, 0.2, 0.3]) view.set({ cut }, true);
    await rest(300);
    const inDrag = told.length;
    for (const cut of [0.4, 0.5, 0.6]) view.set({ cut });
    const isUnsent = view.isUnsent;
    await rest(300);
    process.stdout.write(JSON.stringify({ inDrag, isUnsent, told, after: view.isUnsent }));"""
    )
    seen = run_node(tmp_path, "web/view/view.js", body, None)
    assert seen == {"inDrag": 0, "isUnsent": True, "told": [["view", {"cut": 0.6}]], "after": False}


@needs_node
def test_playing_steps_until_the_last_and_can_be_stopped(tmp_path):
    body = (
        STUB
        + """
    give("a", 1, 0);
    view.playMs = 20;
    const signs = [];
    view.play(true);
    signs.push(view.playButton.textContent);
    view.play(true);
    await rest(300);
    signs.push(view.playButton.textContent, view.steps, view.playing);
    view.play(true);
    view.play(false);
    await rest(100);
    signs.push(view.steps);
    process.stdout.write(JSON.stringify(signs));
    view.cancel("send");"""
    )
    assert run_node(tmp_path, "web/view/view.js", body, None) == ["❚❚", "▶", 3, False, 0]


def test_a_part_is_sent_once_and_everything_again_when_it_is_asked_for(monkeypatch):
    state = {}
    monkeypatch.setattr(mount.st, "session_state", state)
    one, two = {"a": np.zeros(3, np.uint8)}, {"a": np.ones(3, np.uint8)}
    digests, fresh = mount.unsent("key", {"x": one, "y": two})
    assert fresh == {digests["x"]: mount.pack(one), digests["y"]: mount.pack(two)}
    state["key"] = {"view": {"seq": 1}}
    assert mount.unsent("key", {"x": one, "y": two}) == (digests, {})
    assert list(mount.unsent("key", {"x": two, "y": {"a": 1}})[1].values()) == [mount.pack({"a": 1})]
    assert list(mount.unsent("key", {"x": one, "y": two})[1]) == [digests["x"]]  # not in the last message
    state["key"] = {"view": {"lost": "12"}}
    assert len(mount.unsent("key", {"x": one, "y": two})[1]) == 2
    assert mount.unsent("key", {"x": one, "y": two}) == (digests, {})  # requested once, sent once


def test_what_may_come_later_is_sent_when_it_is_asked_for(monkeypatch):
    state = {}
    monkeypatch.setattr(mount.st, "session_state", state)
    parts = {name: {"a": np.full(3, n, np.uint8)} for n, name in enumerate("xyz")}
    digests, fresh = mount.unsent("key", parts, "yz")
    assert list(fresh) == [digests["x"]]
    for wanted in ("y", {"names": "y"}, {"names": [["y"], 3]}, {"names": ["q"]}):  # values that are not names
        state["key"] = {"view": {"wanted": wanted}}
        assert mount.unsent("key", parts, "yz") == (digests, {})
    state["key"] = {"view": {"wanted": {"names": ["y"], "at": 1}}}
    assert list(mount.unsent("key", parts, "yz")[1]) == [digests["y"]]
    assert mount.unsent("key", parts, "yz") == (digests, {})  # requested once, sent once
    assert list(mount.unsent("key", parts, "y")[1]) == [digests["z"]]  # another picture needs it at once
    state["key"] = {"view": {"wanted": {"names": ["y"], "at": 2}}}
    assert list(mount.unsent("key", parts, "y")[1]) == [digests["y"]]  # it was lost on its way
    state["key"] = {"view": {"wanted": {"names": ["y"], "at": 2}, "lost": "12"}}
    assert list(mount.unsent("key", parts, "yz")[1]) == [digests["x"]]


@needs_node
def test_what_comes_later_is_not_missed_and_is_asked_for_once(tmp_path):
    part = {"d1": mount.pack({"a": np.arange(3.0)})}
    messages = [
        mount.message(
            {"view": {"cut": 1}, "epoch": 0, "later": ["y", "z"]}, {"x": "d1", "y": "d2", "z": "d3"}, part
        ),
        mount.message({"view": {"cut": 1}, "epoch": 0, "later": ["y"]}, {"x": "d1", "z": "d3"}, {}),
    ]
    body = (
        STUB
        + """
    const [first, second] = data.map((bytes) => core.receive(bytes));
    const component = { setStateValue: (name, value) => told.push(value.wanted.names) };
    view.update(component, first.data);
    view.want(["x", "y"]);
    view.want(["y"]);
    view.want(["y", "z"]);
    view.update(component, first.data);
    view.want(["y"]);
    process.stdout.write(JSON.stringify({ told, whole: [first.isWhole, second.isWhole] }));"""
    )
    seen = run_node(tmp_path, "web/view/view.js", body, [np.frombuffer(one, np.uint8) for one in messages])
    assert seen == {"told": [["y"], ["y", "z"], ["y"]], "whole": [True, False]}


@needs_node
def test_what_is_received_once_is_kept_and_what_is_missing_is_asked_for(tmp_path):
    one, two = {"a": np.arange(3.0)}, {"a": np.arange(4, dtype=np.uint16)}
    fresh = {"d1": mount.pack(one), "d2": mount.pack(two)}
    messages = [
        mount.message({"view": {"cut": 1}}, {"x": "d1", "y": "d2"}, fresh),
        mount.message({}, {"x": "d2", "y": "d2"}, {}),
        mount.message({"view": {"cut": 2}}, {"x": "d3"}, {}),
    ]
    body = (
        STUB
        + """
    const seen = data.map((bytes) => core.receive(bytes));
    const asked = seen[2];
    view.ask({ setStateValue: (name, value) => told.push([name, value]) }, asked.data);
    const { lost } = told[0][1];
    give("a", 1, 0.5);
    view.set({ cut: 0.6 });
    await rest(300);
    const values = (got) => Object.values(got.data.parts).map((part) => part && Array.from(part.a));
    process.stdout.write(JSON.stringify({
      whole: seen.map((got) => got.isWhole), values: seen.map(values), isText: typeof lost,
      cuts: told.map(([, told]) => told.cut), asks: told.map(([, told]) => told.lost === lost),
    }));"""
    )
    seen = run_node(tmp_path, "web/view/view.js", body, [np.frombuffer(one, np.uint8) for one in messages])
    assert seen["whole"] == [True, True, False]
    assert seen["values"] == [[[0, 1, 2], [0, 1, 2, 3]], [[0, 1, 2, 3]] * 2, [None]]
    assert seen["isText"] == "string"
    assert seen["cuts"] == [2, 0.6]
    assert seen["asks"] == [True, True]  # the request stays in the state: the server answers it once


@needs_node
def test_an_answer_that_comes_too_late_is_left_out(tmp_path):
    body = (
        STUB
        + """
    const seen = [], take = (identity, turn) => {
      view.update({ setStateValue() {} }, { identity, epoch: 1, turn, view: { cut: 0 } });
      seen.push(view.data.identity);
    };
    take("first", 0);
    take("third", 3);
    take("second", 2);
    take("third again", 3);
    process.stdout.write(JSON.stringify(seen));"""
    )
    assert run_node(tmp_path, "web/view/view.js", body, None) == ["first", "third", "third", "third again"]


def test_no_view_has_a_method_that_a_field_of_all_views_hides():
    """JavaScript reports nothing: the field wins, and the method is gone."""
    folder = mount.PACKAGE
    body = (folder / "web" / "view" / "view.js").read_text().split("export class View {")[1]
    fields = set(re.findall(r"^  (\w+) = ", body, re.MULTILINE))
    assert {"data", "turn", "drag"} <= fields
    for path in folder.rglob("*.js"):
        methods = set(re.findall(r"^  (?:async )?(\w+)\([^)]*\) \{", path.read_text(), re.MULTILINE))
        assert not fields & methods, path.name


def test_methods_that_a_view_borrows_take_no_place_of_its_own_or_of_each_other():
    """`Object.assign` reports nothing: the last one wins, and the class's own method is gone."""
    method, mixins = r"^  (?:async )?(\w+)\([^)]*\) \{", {}
    for path in mount.PACKAGE.rglob("*.js"):
        for name, body in re.findall(
            r"^export const ([A-Z]+) = \{\n(.*?)^\};", path.read_text(), re.MULTILINE | re.DOTALL
        ):
            mixins[path.parent, name] = set(re.findall(method, body, re.MULTILINE))
    views = 0
    for path in mount.PACKAGE.rglob("*.js"):
        source = path.read_text()
        for borrowed in re.findall(r"Object\.assign\(\w+\.prototype, ([A-Z, ]+)\)", source):
            own = set(re.findall(method, source, re.MULTILINE))
            for name in borrowed.split(", "):
                homes = [one for (folder, one_name), one in mixins.items() if one_name == name]
                more = mixins.get((path.parent, name), homes[0])
                assert not own & more, f"{path.name} and {name}"
                own |= more
                views += 1
    assert views >= 6
