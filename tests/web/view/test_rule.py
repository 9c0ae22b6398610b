"""The threshold rule in the browser against the engine's, to the last bit."""

import re

import numpy as np

from spcviz.engine.thresholds import filtering, rule
from spcviz.web.view.mount import PACKAGE
from tests.node import needs_node, run_node

BODY = """
const { best, mean, spread, values, starts, alphas } = data;
const out = { tau: [], kept: [], point: [], cap: core.MAX_ALPHA };
for (let w = 0; w < best.length; w++) {
  const tau = core.thresholdOf(best[w], mean[w], alphas[w]), limit = spread[w] ? tau : -Infinity;
  out.tau.push(tau);
  for (let a = starts[w]; a < starts[w + 1]; a++) {
    out.kept.push(core.survives(values[a], limit));
    out.point.push(`${core.breakPointOf(values[a], best[w], mean[w], spread[w] === 1)}`);
  }
}
process.stdout.write(JSON.stringify(out));"""


def examples(rng, n=400):
    """Random values with ties, -inf and no spread; alphas from below the mean's to 1."""
    pieces = []
    for w in range(n):
        size = int(rng.integers(1, 12))
        piece = (
            rng.integers(-2, 3, size) * 1.0
            if w % 3 == 0
            else rng.normal(size=size) * 10.0 ** rng.integers(-8, 9)
        )
        piece = np.full(size, piece[0]) if w % 11 == 0 else piece
        piece[1:][rng.random(size - 1) < 0.2] = -np.inf
        pieces.append(piece)
    alphas = rng.choice([-3.0, -0.5, 0.0, 0.25, 0.5, 1 - 1e-10, 1.0], n) + rng.choice([0.0, -1e-3], n)
    return np.concatenate(pieces), np.cumsum([0, *map(len, pieces)]), alphas


@needs_node
def test_the_browser_thresholds_as_the_engine_does(tmp_path):
    values, starts, alphas = examples(np.random.default_rng(0))
    limits = filtering.threshold_batch(values, starts, 0.0)
    best, mean, spread = limits.best, limits.mean, limits.has_spread
    asked = {"best": best, "mean": mean, "spread": spread.astype("u1"), "values": values, "alphas": alphas}
    answer = run_node(tmp_path, "web/view/rule.js", BODY, asked | {"starts": starts.astype("i4")})
    tau = [rule.threshold(b, b - m, rule.cap_alpha(a)) for b, m, a in zip(best, mean, alphas, strict=True)]
    assert answer["tau"] == tau
    owner = np.repeat(np.arange(len(best)), np.diff(starts))
    limit = np.where(spread, tau, -np.inf)[owner]
    assert answer["kept"] == rule.survives(values, limit).tolist()
    points = [rule.break_point(v, best[w], mean[w], spread[w]) for v, w in zip(values, owner, strict=True)]
    assert [float(point.replace("Infinity", "inf")) for point in answer["point"]] == points
    assert answer["cap"] == rule.ALPHA_CAP
    # The random examples cover all cases that the rule distinguishes.
    assert {0, 1} == set(spread.tolist()) == set(answer["kept"])
    assert (values == best[owner]).sum() > len(best)
    assert {-np.inf, np.inf} <= set(points)


@needs_node
def test_thresholds_of_the_engine_are_the_rules(tmp_path):
    """`filtering` at alphas that it accepts, some below 0: the same numbers once more."""
    values, starts, alphas = examples(np.random.default_rng(1))
    limits = filtering.threshold_batch(values, starts, alphas)
    spread = limits.has_spread
    asked = {"best": limits.best, "mean": limits.mean, "spread": spread.astype("u1"), "values": values}
    answer = run_node(
        tmp_path, "web/view/rule.js", BODY, asked | {"alphas": alphas, "starts": starts.astype("i4")}
    )
    assert np.where(spread, answer["tau"], -np.inf).tolist() == limits.tau.tolist()


@needs_node
def test_a_slider_reaches_below_the_mean_where_it_has_to(tmp_path):
    body = """process.stdout.write(JSON.stringify({
      lowest: data.alphas.map((alpha) => core.lowestOf(0.5, alpha)),
      said: data.alphas.map((alpha) => core.belowMean(alpha)) }));"""
    alphas = [1.0, 0.0, -1e-9, -0.1, -0.34, -12.01]
    answer = run_node(tmp_path, "web/view/rule.js", body, {"alphas": alphas})
    assert answer["lowest"] == [0, 0, -0.1, -0.1, -0.4, -12.1]
    assert answer["said"] == ["", "", *[", below the mean"] * 4]


def test_no_view_spells_the_rule_by_itself():
    spelled = re.compile(r"\(1 - (Math\.min\()?[\w.\[\]]*alpha\w*[^)]*\)+ \* \(|1 - 1e-9;|[mM]ean\) / \(")
    for script in PACKAGE.rglob("*.js"):
        lines = [line for line in script.read_text(encoding="utf-8").splitlines() if spelled.search(line)]
        code = [line for line in lines if not line.lstrip().startswith("//")]
        assert bool(code) == (script.name == "rule.js"), f"{script}: {code}"


MARGIN_BODY = """
const { best, mean, spread, values, starts, margins } = data;
const out = { tau: [], kept: [], point: [] };
for (let w = 0; w < best.length; w++) {
  const tau = core.thresholdBy("margin", best[w], mean[w], -margins[w]), limit = spread[w] ? tau : -Infinity;
  out.tau.push(tau);
  for (let a = starts[w]; a < starts[w + 1]; a++) {
    out.kept.push(core.survives(values[a], limit));
    out.point.push(`${core.breakPointBy("margin", values[a], best[w], mean[w], spread[w] === 1)}`);
  }
}
process.stdout.write(JSON.stringify(out));"""


@needs_node
def test_the_browser_thresholds_at_a_margin_as_the_engine_does(tmp_path):
    rng = np.random.default_rng(2)
    values, starts, _ = examples(rng)
    margins = rng.choice([0.0, 1e-13, 0.5, 1.0, 3.0, 1e6], len(starts) - 1)
    limits = filtering.threshold_batch(values, starts, 0.0, margins)
    spread = limits.has_spread
    asked = {"best": limits.best, "mean": limits.mean, "spread": spread.astype("u1"), "values": values}
    asked |= {"margins": margins, "starts": starts.astype("i4")}
    answer = run_node(tmp_path, "web/view/rule.js", MARGIN_BODY, asked)
    assert np.where(spread, answer["tau"], -np.inf).tolist() == limits.tau.tolist()
    owner = np.repeat(np.arange(len(spread)), np.diff(starts))
    assert answer["kept"] == rule.survives(values, limits.tau[owner]).tolist()
    points = filtering.margin_points_batch(values, starts)
    assert [float(point.replace("Infinity", "inf")) for point in answer["point"]] == points.tolist()
    assert {0, 1} == set(spread.tolist()) == set(answer["kept"])
    assert (margins[spread] == 0).any()
    assert (limits.best - limits.tau > margins)[spread].any()  # the slack for rounding was used
