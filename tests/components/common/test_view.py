"""The base class of the views: whose view wins, what the server is told, when a name's timer counts."""

from tests.components.node import needs_node, run_node

# A view without a page: nothing is drawn and nothing measured.
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
  view.update({ data, setStateValue: (name, value) => told.push([name, value]) });
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
    assert run_node(tmp_path, "common/view.js", body, None) == [0.1, 0.2, 0.4, 0.5, 0.6]


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
    seen = run_node(tmp_path, "common/view.js", body, None)
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
    assert run_node(tmp_path, "common/view.js", body, None) == ["❚❚", "▶", 3, False, 0]
