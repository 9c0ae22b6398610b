"""Mounting of views: one module each, arrays as bytes, an address for the JavaScript."""

import asyncio
import re
import subprocess
from concurrent.futures import ThreadPoolExecutor
from itertools import count
from types import SimpleNamespace

import numpy as np
import pytest

from spcviz.problems.budgets.view.component import TRADE_OFF
from spcviz.problems.letters.view.component import HOME_WORD
from spcviz.problems.words.view.component import POLICY
from spcviz.shared.folders import ROOT
from spcviz.web.lattice.component import LATTICE
from spcviz.web.transport import static_files
from spcviz.web.view import mount
from tests.node import needs_node, node, run_node

COMPONENTS = pytest.mark.parametrize(
    "component", [LATTICE, TRADE_OFF, POLICY, HOME_WORD], ids=lambda component: component.name
)


@needs_node
@COMPONENTS
def test_the_parts_make_one_module(tmp_path, component):
    path = tmp_path / "whole.mjs"
    path.write_text(mount.script(component.parts), encoding="utf-8")
    done = subprocess.run([node(), "--check", path], capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    heads = [line for line in path.read_text().splitlines() if line.startswith(("import", "export"))]
    assert len(heads) == 1
    assert heads[0].startswith(("export default makeMount(", "export default function ("))


@COMPONENTS
def test_comment_lines_stay_with_the_developers(component):
    files = [part for part in component.parts if part.endswith(".js")]
    written = "".join((ROOT / "spcviz" / part).read_text(encoding="utf-8") for part in files)
    assert any(mount._COMMENT.fullmatch(line) for line in written.splitlines())
    sent = mount.script(component.parts)
    assert [line for line in sent.splitlines() if mount._COMMENT.fullmatch(line)] == []
    assert sent.count(" // ") > 0, "comments behind code are left alone"


def test_no_text_in_backquotes_has_a_line_that_would_be_taken_for_a_comment():
    n_comments = 0
    for path in sorted((ROOT / "spcviz").rglob("*.js")):
        is_text = False
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
            if mount._COMMENT.fullmatch(line):
                n_comments += 1
                assert not is_text, f"{path.name}:{number}"
            elif line.count("`") % 2:
                is_text = not is_text
    assert n_comments > 100


@needs_node
@COMPONENTS
def test_the_files_import_what_the_others_export(tmp_path, component):
    kind = run_node(
        tmp_path, component.parts[-1], "process.stdout.write(JSON.stringify(typeof core.default));", None
    )
    assert kind == "function"


@needs_node
def test_arrays_of_every_type_arrive_as_they_were_sent(tmp_path):
    numbers = np.array([-np.inf, 0.1 + 0.2, -0.0, 5e-324, np.nan])
    whole = {name: np.array([0, 1, np.iinfo(name).max], name) for name in mount.TYPES if name[0] != "f"}
    value = {
        "text": "é“x”",
        "none": None,
        "deep": [{"numbers": numbers}, [1, [2.5]]],
        "empty": numbers[:0],
        **whole,
    }
    body = """
    const { deep, ...rest } = data, { numbers } = deep[0];
    const bits = new Uint8Array(numbers.buffer, numbers.byteOffset, numbers.byteLength);
    const plain = (value) => (ArrayBuffer.isView(value) ? Array.from(value) : value);
    process.stdout.write(JSON.stringify({ bits: Array.from(bits), list: deep[1],
      rest: Object.fromEntries(Object.entries(rest).map(([name, value]) => [name, plain(value)])) }));"""
    seen = run_node(tmp_path, "web/view/view.js", body, value)
    assert bytes(seen["bits"]) == numbers.tobytes()
    assert seen["list"] == [1, [2.5]]
    wanted = {name: array.tolist() for name, array in whole.items()}
    assert seen["rest"] == {"text": "é“x”", "none": None, "empty": [], **wanted}


@pytest.mark.parametrize("sent", [None, 7, "text", [1], {"view": 7}, {"view": None}, {}])
def test_a_view_that_is_none_counts_as_nothing_sent(monkeypatch, sent):
    monkeypatch.setattr(mount.st, "session_state", {"k": sent})
    assert mount.live_view("k") is None
    assert mount.epoch("k", {"alpha": 0.5}) == 0


def test_what_cannot_be_sent_is_refused():
    with pytest.raises(ValueError, match="JSON compliant"):
        mount.pack({"x": float("nan")})
    with pytest.raises(KeyError, match="int64"):
        mount.pack({"x": np.zeros(2, np.int64)})


def test_javascript_has_an_address_of_its_own_where_a_server_serves_it(monkeypatch):
    monkeypatch.setattr(static_files, "_SERVER", {"has_routes": False})
    assert static_files.publish("x", "1;", ":host {}") == ""
    (route,) = static_files.routes()

    def get(name):
        # In another thread: a browser test may have left an event loop in this one.
        with ThreadPoolExecutor(1) as thread:
            asked = route.endpoint(SimpleNamespace(path_params={"name": name}, headers={}))
            return thread.submit(asyncio.run, asked).result()

    stub = static_files.publish("x", "export default 1;", ":host {}")
    (name,) = re.findall(r"view/(x-[0-9a-f]{16}\.js)", stub)
    assert route.path == "/view/{name}"
    answer = get(name)
    assert answer.body.startswith(b"export default 1;\nexport const css = ")
    assert answer.headers["content-type"].startswith("text/javascript")
    assert "immutable" in answer.headers["cache-control"]
    assert get("app.py").status_code == 404
    assert len(stub) < 500  # it travels with every run
    assert static_files.publish("x", "export default 2;", "") != stub
    address = static_files.publish_file("small.webp", b"RIFF", "image/webp")
    answer = get(address.removeprefix("view/"))
    assert (answer.body, answer.headers["content-type"]) == (b"RIFF", "image/webp")


def test_what_is_packed_already_is_sent_as_it_is(monkeypatch):
    monkeypatch.setattr(mount.st, "session_state", {})
    part = {"a": np.arange(3, dtype=np.uint8)}
    plain = mount.unsent("k", {"x": part})
    monkeypatch.setattr(mount.st, "session_state", {})
    assert mount.unsent("k", {"x": mount.pack_part(part)}) == plain
    digests, fresh = mount.unsent("k", {"x": mount.pack_part(part)})
    assert (digests, fresh) == (plain[0], {})  # sent before
    assert mount.as_message({"b": 1}, {"x": part}) == mount.message({"b": 1}, *plain)


def test_what_a_cache_gives_to_all_is_packed_once(monkeypatch):
    made = []

    def part(owner):
        made.append(owner)
        return {"values": np.full(1000, owner[0], np.uint8)}

    monkeypatch.setattr(mount, "_packed", {})
    monkeypatch.setattr(mount, "time", SimpleNamespace(monotonic=count().__next__))  # all take equally long
    owners = [[number] for number in range(4)]
    most = 5000 + 4 * mount.memory.OF_ENTRY
    monkeypatch.setattr(mount.memory, "MEMORY", mount.memory.MemoryBudget(most))
    first = [mount.packed_of(owner, part) for owner in owners]
    assert mount.packed_of(owners[3], part) is first[3]
    assert made == owners
    assert first[1] == mount.pack_part(part([1]))
    assert mount.packed_of(owners[0], part) == first[0]  # evicted to free space, and made again
    assert len(made) == 6
    assert (
        sum(len(packet.content) for _, packet in mount._packed.values())
        <= mount.memory.MEMORY.n_bytes
        <= most
    )
    monkeypatch.setattr(mount.memory, "MEMORY", mount.memory.MemoryBudget(10))
    assert mount.packed_of([9], part) == mount.pack_part(part([9]))


@pytest.mark.parametrize("path", sorted((ROOT / "pages").rglob("*.py")), ids=lambda path: path.stem)
def test_a_component_has_a_key_of_its_own(path):
    """A key twice in a run is an error, and a control may appear only for some choices."""
    source = path.read_text(encoding="utf-8")
    keys = re.findall(r'^KEY.* = "(\w+)"', source, re.MULTILINE)
    keys += re.findall(r'^KEY, \w+ = "\w+", "(\w+)"', source, re.MULTILINE)
    tied = re.findall(r'bind(?:\(|, )(?:TABLE|POLICY), "(\w+)"', source)
    names = re.findall(r'^    (?:choice|flag|real|text|whole)\("(\w+)"', source, re.MULTILINE)
    assert not {f"{page}_{name}" for page in tied for name in names} & set(keys)
