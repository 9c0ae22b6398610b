"""The lattice component: its payload is exact, and its JavaScript prunes as the engine does."""

from itertools import product

import numpy as np
import pytest

from spcviz.engine.thresholds import filtering
from spcviz.shared.trace import LevelTrace, WordTrace
from spcviz.web.figures.palette import DARK, LIGHT
from spcviz.web.lattice import component
from tests.node import needs_node, run_node


def random_level(rng, *, order=None, n_columns=None, n_states=None):
    """A level with every trap: ties, no spread, -inf, extreme scales, one arc per column."""
    order = order or int(rng.integers(1, 4))
    n_columns = n_columns or int(rng.integers(1, 7))
    n_states = n_states or int(rng.integers(1, 6))
    columns = []
    for _ in range(n_columns):
        every = np.array(np.meshgrid(*[range(n_states)] * order, indexing="ij")).reshape(order, -1).T
        columns.append(every[rng.random(len(every)) < 0.7] if len(every) > 1 else every)
        if not len(columns[-1]):
            columns[-1] = every[:1]
    start = np.concatenate([[0], np.cumsum([len(c) for c in columns])])
    n_arcs = int(start[-1])
    style = rng.integers(5)
    values = rng.normal(size=n_arcs) * 10.0 ** rng.integers(-6, 7)
    if style == 0:
        values = np.round(rng.normal(size=n_arcs) * 2)  # ties
    elif style == 1:
        values = np.full(n_arcs, rng.normal())  # no spread
    if style >= 3:
        values[rng.random(n_arcs) < 0.3] = -np.inf
    path = np.array([rng.integers(start[c], start[c + 1]) for c in range(n_columns)])
    finite = values[np.isfinite(values)]
    values[path] = finite.max() if len(finite) else 0.0
    if style == 2:
        values[path] += rng.choice([0.0, 1e-15, -1e-15], n_columns)  # maxima differ by rounding
    alpha = float(rng.choice([0.0, 1.0, 1 - 1e-12, rng.random(), 0.5]))
    limit = filtering.threshold(values, alpha)
    return LevelTrace(
        order=order,
        col_start=start,
        symbols=np.concatenate(columns).astype(np.int32),
        score=rng.normal(size=n_arcs),
        forward=rng.normal(size=n_arcs),
        backward=rng.normal(size=n_arcs),
        max_marginal=values,
        previous=np.full(n_arcs, -1, np.int32),
        following=np.full(n_arcs, -1, np.int32),
        map_arcs=path.astype(np.int32),
        truth_arcs=np.zeros(0, np.int32),
        truth_score=float("nan"),
        best=limit.best,
        mean=limit.mean,
        n_valid=limit.n_valid,
        has_spread=limit.has_spread,
        alpha=alpha,
        tuned_alpha=alpha,
        was_capped=False,
        alpha_used=alpha,
        microseconds=1.0,
    )


def count_words(level, keep):
    """Number of complete paths, by walking every one of them."""
    symbols = [tuple(row) for row in level.symbols.tolist()]
    first, *rest = (
        np.arange(a, b)[keep[a:b]].tolist() for a, b in zip(level.col_start[:-1], level.col_start[1:])
    )
    paths = [(arc,) for arc in first]
    for column in rest:
        after = {}
        for arc in column:
            after.setdefault(symbols[arc][:-1], []).append(arc)
        paths = [(*path, arc) for path in paths for arc in after.get(symbols[path[-1]][1:], ())]
    return len(paths)


def word_trace(rng, n_levels=2):
    levels = tuple(random_level(rng, order=n, n_columns=5 - n, n_states=3) for n in range(1, n_levels + 1))
    pixels = rng.integers(0, 2, (4, 16, 8)).astype(np.uint8)
    truth = np.array([0, 1, 2, 0], np.int32)
    return WordTrace(
        7, truth, pixels, ("a", "b", "c"), levels, np.tile(truth, (n_levels, 1)), 5.0, float("nan")
    )


def test_a_part_has_every_bit(tmp_path):
    level = word_trace(np.random.default_rng(0)).levels[1]
    level = level._replace(previous=np.where(np.arange(len(level.score)) < level.col_start[1], -1, 0))
    level = level._replace(
        following=np.where(np.arange(len(level.score)) < level.col_start[-2], level.col_start[-1] - 1, -1)
    )
    part = component.level_part(level)
    for name in ("score", "forward", "backward", "max_marginal", "map_arcs", "truth_arcs"):
        assert part[name].tobytes() == getattr(level, name).tobytes()
    np.testing.assert_array_equal(part["symbols"], level.symbols)
    assert part["symbols"].dtype == np.uint8
    assert part["facts"].tolist()[:2] == [level.best, level.mean]
    assert np.isnan(part["facts"][2])


def summed_level(rng, n_columns, n_states):
    """A level of pairs with max-sum messages; half of the scores tie."""
    level = random_level(rng, order=2, n_columns=n_columns, n_states=n_states)
    every = np.array(np.meshgrid(range(n_states), range(n_states), indexing="ij")).reshape(2, -1).T
    start, score = np.arange(n_columns + 1) * len(every), rng.normal(size=n_columns * len(every)) * 10
    score = np.where(rng.random(len(score)) < 0.5, np.round(score), score)
    forward, backward = score.copy(), np.zeros(len(score))
    previous, following = np.full(len(score), -1), np.full(len(score), -1)
    for c in range(1, n_columns):
        for a in range(start[c], start[c + 1]):
            fits = start[c - 1] + np.flatnonzero(every[:, 1] == every[a - start[c], 0])
            previous[a] = fits[forward[fits].argmax()]
            forward[a] = forward[previous[a]] + score[a]
    for c in range(n_columns - 2, -1, -1):
        for a in range(start[c], start[c + 1]):
            fits = start[c + 1] + np.flatnonzero(every[:, 0] == every[a - start[c], 1])
            following[a] = fits[(score[fits] + backward[fits]).argmax()]
            backward[a] = score[following[a]] + backward[following[a]]
    return level._replace(
        col_start=start,
        symbols=np.tile(every, (n_columns, 1)).astype(np.int32),
        score=score,
        forward=forward,
        backward=backward,
        max_marginal=forward + backward,
        previous=previous.astype(np.int32),
        following=following.astype(np.int32),
        map_arcs=start[:-1].astype(np.int32),
    )


@needs_node
def test_messages_that_are_left_out_come_back_to_the_last_bit(tmp_path):
    rng = np.random.default_rng(11)
    levels = [summed_level(rng, int(rng.integers(1, 6)), int(rng.integers(1, 10))) for _ in range(12)]
    levels.append(summed_level(rng, 2, 17))  # more than 255 arcs per column
    parts = [component.level_part(level) for level in levels]
    assert not any("forward" in part or "max_marginal" in part for part in parts)
    names = {"forward": "forward", "backward": "backward", "max_marginal": "maxMarginal"}
    names |= {"previous": "previous", "following": "following"}
    body = """
    process.stdout.write(JSON.stringify(data.parts.map((part) => {
      const level = core.openLevel(part);
      return Object.values(data.names).map((name) => Array.from(level[name]));
    })));"""
    seen = run_node(tmp_path, "web/lattice/lattice_core.js", body, {"parts": parts, "names": names})
    for level, arrays in zip(levels, seen):
        for name, array in zip(names, arrays):
            np.testing.assert_array_equal(np.array(array), getattr(level, name))


@pytest.mark.parametrize("name", ["forward", "backward", "max_marginal"])
def test_messages_that_are_no_sums_of_scores_are_sent(name):
    level = summed_level(np.random.default_rng(2), 3, 4)
    off = getattr(level, name).copy()
    off[5] = np.nextafter(off[5], 9e9)
    assert name in component.level_part(level._replace(**{name: off}))
    gone = level.previous.copy()
    gone[-1] = -1  # nothing arrives there
    assert name in component.level_part(level._replace(previous=gone))


def test_what_a_run_may_change_is_not_in_a_part():
    trace = word_trace(np.random.default_rng(1))
    payload, parts = component.lattice_payload(trace)
    first = trace.levels[0]
    raised = first._replace(tuned_alpha=0.9, alpha=0.1, alpha_used=0.2, microseconds=9.0, was_capped=True)
    again, same = component.lattice_payload(trace._replace(levels=(raised, *trace.levels[1:])))
    levels = [name for name in parts if name.startswith("level")]
    assert [same[name] for name in levels] == [parts[name] for name in levels]
    assert again["settings"][:4].tolist() == [0.1, 0.9, 0.2, 9.0]
    assert again["was_capped"] == [True, False]
    assert payload["settings"][4] == trace.levels[1].alpha
    bits = np.unpackbits(payload["pixels"]).reshape(trace.pixels.shape)
    np.testing.assert_array_equal(bits, trace.pixels)
    assert payload["microseconds_dense"] is None
    pinned, more = component.lattice_payload(trace, pins={"A": ("raw:1", trace)})
    assert more["pin A 1"] == more["level 1"]
    assert pinned["pins"]["A"]["text"] == "raw:1"


@pytest.mark.parametrize("name", sorted(component.ENDS_HERE))
def test_levels_after_the_shown_one_are_not_sent_while_a_question_asks_for_what_they_say(name):
    trace = word_trace(np.random.default_rng(1))
    whole, every = component.lattice_payload(trace)
    payload, parts = component.lattice_payload(trace, hidden=[name], level=1, pins={"A": ("raw:1", trace)})
    assert [part for part in parts if part != "names"] == ["level 0"]
    assert payload["n_levels"] == len(trace.levels) > len(payload["was_capped"]) == 1
    assert payload["identity"] == whole["identity"], "it is the same picture once the question is answered"
    assert payload["predictions"].size == len(trace.predictions[0])
    assert not payload["pins"]
    assert (parts["level 0"] == every["level 0"]) == (name != component.UNREAD)
    _, last = component.lattice_payload(trace, hidden=[name], level=len(trace.levels))
    assert last.keys() == every.keys()


def test_what_is_read_is_not_sent_while_a_question_asks_for_it():
    trace = word_trace(np.random.default_rng(1))
    payload, _ = component.lattice_payload(trace, hidden=[component.UNREAD])
    assert payload["truth"].size == 0
    assert not payload["predictions"].any()
    part = component.unread_part(trace.levels[0])
    assert part["map_arcs"].size == part["truth_arcs"].size == 0
    assert np.isnan(part["facts"][2])


def test_a_question_about_something_else_takes_nothing_away():
    trace = word_trace(np.random.default_rng(1))
    payload, parts = component.lattice_payload(trace, hidden=["edge", "why"])
    whole, every = component.lattice_payload(trace)
    assert parts == every
    assert payload["hidden"] == ["edge", "why"]
    assert payload["n_levels"] == whole["n_levels"] == len(payload["was_capped"])


def test_every_state_has_a_colour_of_the_palette_in_both_themes():
    colours = component.lattice_payload(word_trace(np.random.default_rng(2)))[1]["names"]["palette"]
    colours = {theme: dict(roles) for theme, roles in colours.items()}
    for theme, palette in (("light", LIGHT), ("dark", DARK)):
        for role in component.ROLES:
            assert colours[theme].pop(role) == getattr(palette, role)
        assert set(colours[theme]) == {"pinA", "pinB"}


@needs_node
def test_keep_masks_of_the_browser_equal_the_engines_on_1000_lattices(tmp_path):
    rng = np.random.default_rng(20130501)
    levels = [random_level(rng) for _ in range(1000)]
    body = """
    process.stdout.write(JSON.stringify(data.parts.map((part, i) => {
      const level = core.openLevel(part), tau = core.threshold(level, core.settingsOf(data, i).alpha);
      const keep = core.keepMask(level, tau), words = core.countPaths(level, keep, core.linkGroups(level));
      return { keep: Array.from(keep), words, tau: String(tau) };
    })));"""
    data = {"parts": [component.level_part(level) for level in levels], **component.settings_of(levels)}
    answers = run_node(tmp_path, "web/lattice/lattice_core.js", body, data)
    kinds = {"ties": 0, "no spread": 0, "forbidden": 0, "alpha 0 or 1": 0}
    for level, answer in zip(levels, answers):
        limit = filtering.threshold(level.max_marginal, level.alpha)
        keep = filtering.keep(level.max_marginal, limit, level.map_arcs)
        np.testing.assert_array_equal(np.array(answer["keep"], bool), keep)
        if level.has_spread:
            assert float(answer["tau"]) == limit.tau
        assert answer["words"] == count_words(level, keep)
        kinds["ties"] += len(np.unique(level.max_marginal)) < len(level.max_marginal)
        kinds["no spread"] += not level.has_spread
        kinds["forbidden"] += np.isneginf(level.max_marginal).any()
        kinds["alpha 0 or 1"] += level.alpha in (0.0, 1.0)
    assert min(kinds.values()) >= 100, kinds


def chain_level(columns):
    """A level for counting only: the arcs of each column as rows of states, with all scores zero."""
    start = np.concatenate([[0], np.cumsum([len(arcs) for arcs in columns])])
    level = random_level(np.random.default_rng(0), order=1, n_columns=1, n_states=1)
    return level._replace(
        order=columns[0].shape[1],
        col_start=start,
        symbols=np.concatenate(columns).astype(np.int32),
        **dict.fromkeys(("score", "forward", "backward", "max_marginal"), np.zeros(start[-1])),
        **dict.fromkeys(("previous", "following"), np.full(start[-1], -1, np.int32)),
        map_arcs=start[:-1].astype(np.int32),
    )


@needs_node
def test_words_of_many_states_are_counted_right(tmp_path):
    rng = np.random.default_rng(70)
    levels, wanted = [], []
    for share in (0.05, 0.5, 1.0):  # 70 states in three columns of pairs: a product of three matrices
        matrices = (rng.random((3, 70, 70)) < share).astype(int)
        levels.append(chain_level([np.argwhere(matrix) for matrix in matrices]))
        wanted.append(int((matrices[0] @ matrices[1] @ matrices[2]).sum()))
    # Few states, far apart, in longer n-grams: walk every path.
    for order, states in ((3, (0, 1, 63, 64, 69)), (4, (0, 1, 64)), (6, (0, 29_999))):
        every = np.array(list(product(states, repeat=order)))
        columns = [every[rng.random(len(every)) < 0.6] for _ in range(3)]
        levels.append(chain_level(columns))
        wanted.append(count_words(levels[-1], np.ones(sum(map(len, columns)), bool)))
        assert wanted[-1] > 10
    body = """
    process.stdout.write(JSON.stringify(data.map((packed) => {
      const level = core.openLevel(packed);
      return core.countPaths(level, new Uint8Array(level.nArcs).fill(1), core.linkGroups(level));
    })));"""
    payloads = [component.level_part(level) for level in levels]
    assert run_node(tmp_path, "web/lattice/lattice_core.js", body, payloads) == wanted


@needs_node
def test_an_arc_falls_at_its_break_point(tmp_path):
    rng = np.random.default_rng(5)
    levels = [random_level(rng) for _ in range(200)]
    body = """
    process.stdout.write(JSON.stringify(data.map((packed) => {
      const level = core.openLevel(packed), out = [];
      for (let a = 0; a < level.nArcs; a++) {
        const at = core.breakPoint(level, a);
        if (!(at > 1e-6 && at < 1 - 1e-6)) continue;
        for (const alpha of [at - 1e-7, at + 1e-7]) {
          out.push(core.keepMask(level, core.threshold(level, alpha))[a]);
        }
      }
      return out;
    }).flat()));"""
    seen = run_node(
        tmp_path, "web/lattice/lattice_core.js", body, [component.level_part(level) for level in levels]
    )
    assert len(seen) > 200
    assert seen == [1, 0] * (len(seen) // 2)


@needs_node
def test_witnesses_letters_and_numbers_in_words(tmp_path):
    level = LevelTrace(
        order=2,
        col_start=np.array([0, 2, 4]),
        symbols=np.array([[0, 1], [1, 1], [1, 0], [1, 2]], np.int32),
        score=np.zeros(4),
        forward=np.zeros(4),
        backward=np.zeros(4),
        max_marginal=np.array([5.0, 3.0, 5.0, 4.0]),
        previous=np.array([-1, -1, 0, 0], np.int32),
        following=np.array([2, 2, -1, -1], np.int32),
        map_arcs=np.array([0, 2], np.int32),
        truth_arcs=np.array([0, 3], np.int32),
        truth_score=4.0,
        best=5.0,
        mean=4.25,
        n_valid=4,
        has_spread=True,
        alpha=0.0,
        tuned_alpha=0.0,
        was_capped=False,
        alpha_used=0.0,
        microseconds=1.0,
    )
    body = """
    const level = core.openLevel(data), keep = core.keepMask(level, core.threshold(level, 0));
    process.stdout.write(JSON.stringify({
      words: [0, 1, 2, 3].map((a) => core.spellPath(level, core.witness(level, a), ["a", "b", "c"])),
      allowed: Array.from(core.allowedLetters(level, keep, 3)),
      fates: [[4, 4], [4.9, 4.9], [5, 4.1]].map(([mm, score]) => {
        level.maxMarginal[3] = mm;
        level.truthScore = score;
        const tau = core.threshold(level, 0);
        return core.truthFate(level, core.keepMask(level, tau), tau).state;
      }),
      numbers: [999, 1234567, 2.09e11, 6.45e19, 1e6, 999999].map(core.readableCount),
      labels: core.placeLabels([{ at: 10 }, { at: 12 }, { at: 30 }, { at: 19 }], 8).map((p) => p.at),
    }));"""
    seen = run_node(tmp_path, "web/lattice/lattice_core.js", body, component.level_part(level))
    assert seen["words"] == ["aba", "bba", "aba", "abc"]
    assert seen["allowed"] == [1, 0, 0, 0, 1, 0, 1, 0, 0]
    assert seen["fates"] == ["pruned", "safe", "loss"]
    assert seen["numbers"] == ["999", "1.23 million", "209 billion", "6.45 × 10¹⁹", "1 million", "999,999"]
    assert seen["labels"] == [10, 19, 30]
