"""The lattice component: its payload is exact, and its JavaScript prunes as the engine does."""

import base64
import json
from itertools import product

import numpy as np

from spcviz.components.common import mount
from spcviz.components.lattice import component
from spcviz.engine import filtering
from spcviz.figures.common.palette import DARK, LIGHT
from spcviz.problems.common.shown import LevelTrace, WordTrace
from tests.components.node import needs_node, run_node


def random_level(rng, *, order=None, n_columns=None, n_states=None):
    """A level with every trap: ties, no spread, -inf, extreme scales, one arc a column."""
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
    arcs = [np.arange(a, b)[keep[a:b]] for a, b in zip(level.col_start[:-1], level.col_start[1:])]
    paths = [(a,) for a in arcs[0]]
    for column in arcs[1:]:
        paths = [
            (*p, a)
            for p in paths
            for a in column
            if np.array_equal(level.symbols[p[-1]][1:], level.symbols[a][:-1])
        ]
    return len(paths)


def word_trace(rng, n_levels=2):
    levels = tuple(random_level(rng, order=n, n_columns=5 - n, n_states=3) for n in range(1, n_levels + 1))
    pixels = rng.integers(0, 2, (4, 16, 8)).astype(np.uint8)
    truth = np.array([0, 1, 2, 0], np.int32)
    return WordTrace(
        7, truth, pixels, ("a", "b", "c"), levels, np.tile(truth, (n_levels, 1)), 5.0, float("nan")
    )


def unpack(text, dtype):
    return np.frombuffer(base64.b64decode(text), dtype)


def test_payload_is_bit_exact_and_json():
    trace = word_trace(np.random.default_rng(0))
    payload = json.loads(json.dumps(component.lattice_payload(trace), allow_nan=False))
    for packed, level in zip(payload["levels"], trace.levels):
        for name in ("score", "forward", "backward", "max_marginal"):
            assert unpack(packed[name], "<f8").tobytes() == getattr(level, name).tobytes()
        for name in ("col_start", "symbols", "previous", "following", "map_arcs", "truth_arcs"):
            np.testing.assert_array_equal(unpack(packed[name], "<i4"), getattr(level, name).reshape(-1))
        scalars = unpack(packed["scalars"], "<f8")
        assert scalars[0] == level.best
        assert scalars[1] == level.mean
        assert np.isnan(scalars[2])
    bits = np.unpackbits(unpack(payload["pixels"], "u1")).reshape(trace.pixels.shape)
    np.testing.assert_array_equal(bits, trace.pixels)
    assert payload["microseconds_dense"] is None


def test_payload_keeps_minus_infinity_and_last_bits():
    values = np.array([-np.inf, 0.1 + 0.2, -0.0, 5e-324])
    assert unpack(mount.pack(values, "<f8"), "<f8").tobytes() == values.tobytes()


def test_a_pinned_level_is_slim_and_has_another_digest_when_it_differs():
    rng = np.random.default_rng(1)
    one, two = (random_level(rng, order=1, n_columns=3, n_states=4) for _ in range(2))
    assert "forward" not in component.level_payload(one, is_whole=False)
    assert component.level_payload(one)["digest"] == component.level_payload(one)["digest"]
    assert component.level_payload(one)["digest"] != component.level_payload(two)["digest"]
    raised = one._replace(tuned_alpha=one.tuned_alpha + 0.25)
    assert component.level_payload(one)["digest"] != component.level_payload(raised)["digest"]


def test_every_state_has_a_colour_of_the_palette_in_both_themes():
    colours = component.lattice_payload(word_trace(np.random.default_rng(2)))["palette"]
    for theme, palette in (("light", LIGHT), ("dark", DARK)):
        for role in component.ROLES:
            assert colours[theme].pop(role) == getattr(palette, role)
        assert set(colours[theme]) == {"pinA", "pinB"}


@needs_node
def test_keep_masks_of_the_browser_equal_the_engines_on_1000_lattices(tmp_path):
    rng = np.random.default_rng(20130501)
    levels = [random_level(rng) for _ in range(1000)]
    body = """
    process.stdout.write(JSON.stringify(data.map((packed) => {
      const level = core.unpackLevel(packed), tau = core.threshold(level, level.alpha);
      const keep = core.keepMask(level, tau), words = core.countPaths(level, keep, core.linkGroups(level));
      return { keep: Array.from(keep), words, tau: String(tau) };
    })));"""
    answers = run_node(
        tmp_path, "lattice/lattice_core.js", body, [component.level_payload(level) for level in levels]
    )
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
    """A level that only counts: the arcs of each column as rows of states, no scores worth looking at."""
    start = np.concatenate([[0], np.cumsum([len(arcs) for arcs in columns])])
    level = random_level(np.random.default_rng(0), order=1, n_columns=1, n_states=1)
    return level._replace(
        order=columns[0].shape[1],
        col_start=start,
        symbols=np.concatenate(columns).astype(np.int32),
        max_marginal=np.zeros(start[-1]),
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
    # Few states, far apart, in longer pieces: walk every path.
    for order, states in ((3, (0, 1, 63, 64, 69)), (4, (0, 1, 64)), (6, (0, 29_999))):
        every = np.array(list(product(states, repeat=order)))
        columns = [every[rng.random(len(every)) < 0.6] for _ in range(3)]
        levels.append(chain_level(columns))
        wanted.append(count_words(levels[-1], np.ones(sum(map(len, columns)), bool)))
        assert wanted[-1] > 10
    body = """
    process.stdout.write(JSON.stringify(data.map((packed) => {
      const level = core.unpackLevel(packed);
      return core.countPaths(level, new Uint8Array(level.nArcs).fill(1), core.linkGroups(level));
    })));"""
    payloads = [component.level_payload(level, is_whole=False) for level in levels]
    assert run_node(tmp_path, "lattice/lattice_core.js", body, payloads) == wanted


@needs_node
def test_an_arc_falls_at_its_break_point(tmp_path):
    rng = np.random.default_rng(5)
    levels = [random_level(rng) for _ in range(200)]
    body = """
    process.stdout.write(JSON.stringify(data.map((packed) => {
      const level = core.unpackLevel(packed), out = [];
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
        tmp_path, "lattice/lattice_core.js", body, [component.level_payload(level) for level in levels]
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
    const level = core.unpackLevel(data), keep = core.keepMask(level, core.threshold(level, 0));
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
    seen = run_node(tmp_path, "lattice/lattice_core.js", body, component.level_payload(level))
    assert seen["words"] == ["aba", "bba", "aba", "abc"]
    assert seen["allowed"] == [1, 0, 0, 0, 1, 0, 1, 0, 0]
    assert seen["fates"] == ["pruned", "safe", "loss"]
    assert seen["numbers"] == ["999", "1.23 million", "209 billion", "6.45 × 10¹⁹", "1 million", "999,999"]
    assert seen["labels"] == [10, 19, 30]
