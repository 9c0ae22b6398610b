"""The threshold rule against plain numpy, in and out of kernels; no other file spells it out."""

import ast
from pathlib import Path

import numpy as np
import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from numpy.testing import assert_allclose, assert_array_equal

from spcviz.engine.kernels.jit import kernel, plain_kernel, strict_kernel
from spcviz.engine.thresholds import rule
from tests.oracles import threshold as oracle
from tests.strategies import FINITE, PRUNED, SMALL_INTEGERS

ROOT = Path(__file__).parents[3]
HOME = "spcviz/engine/thresholds/rule.py"
# The home page waits for the first, and the second describes what the browser has drawn: neither uses the
# engine, and separate tests compare them with it.
APART = ("spcviz/problems/letters/page/landing.py", "spcviz/web/figures/lattice_numbers.py")
VALUES = arrays(np.float64, st.integers(1, 12), elements=FINITE | SMALL_INTEGERS | PRUNED)
ALPHAS = st.sampled_from([-2.0, 0.0, 0.5, 1.0]) | st.floats(0, 1) | st.floats(-5, 0)


def spread_of(values):
    """(best, gap, count), where any value is finite."""
    assume((values > -np.inf).any())
    return rule.spread(values, 0, len(values))


@plain_kernel
def _one(values, alpha):
    """Everything about one example, as kernels use it."""
    best, gap, count = rule.spread(values, 0, len(values))
    used = rule.cap_alpha(alpha)
    tau = rule.threshold(best, gap, used) if rule.has_spread(best, gap) else -np.inf
    points, kept = np.empty(len(values)), np.empty(len(values), dtype=np.bool_)
    for a in range(len(values)):
        points[a] = rule.break_point(values[a], best, best - gap, rule.has_spread(best, gap))
        kept[a] = rule.survives(values[a], tau)
    return best, gap, count, tau, rule.mixture(best, best - gap, used), points, kept


@kernel
def _in_kernel(values, alpha):
    return _one(values, alpha)


@strict_kernel
def _in_strict_kernel(values, alpha):
    return _one(values, alpha)


@given(VALUES, ALPHAS)
def test_the_threshold_is_the_printed_one(values, alpha):
    best, gap, count = spread_of(values)
    want_best, want_mean = oracle.spread(values)
    assert best == want_best
    assert count == (values > -np.inf).sum()
    assert gap >= 0
    size = np.abs(values[values > -np.inf]).max() + 1
    assert_allclose(best - gap, want_mean, atol=1e-9 * size)
    assert_allclose(rule.mean_of(best, values[values > -np.inf]), want_mean, atol=1e-9 * size)
    tau = rule.threshold(best, gap, alpha)
    assert tau <= best
    assert (tau <= best - gap) if alpha < 0 else (tau >= best - gap)
    assert_allclose(tau, oracle.tau(values, alpha), atol=1e-9 * size)
    assert_allclose(rule.mixture(best, best - gap, alpha), tau, atol=1e-9 * size)
    assert best - rule.reach(gap, alpha) == tau


@given(VALUES, ALPHAS)
def test_what_survives_has_its_break_point_above_alpha(values, alpha):
    best, gap, _ = spread_of(values)
    mean = best - gap
    assume(gap > 1e-6 * max(1.0, abs(best)))
    tau = rule.threshold(best, gap, alpha)
    for value in values:
        point = rule.break_point(value, best, mean, True)
        if value == -np.inf or value >= best:
            assert point == (-np.inf if value == -np.inf else np.inf)
            continue
        assert point == rule.position(value, best, mean)
        assert_allclose(rule.lead(value - mean, gap, alpha), value - tau, atol=1e-9 * (1 + abs(best) + gap))
        assert_allclose(rule.lag(point, gap, alpha), tau - value, atol=1e-9 * (1 + abs(best) + gap))
        if abs(point - alpha) > 1e-6:
            assert rule.survives(value, tau) == (point > alpha)


@given(VALUES, ALPHAS)
def test_a_kernel_says_what_python_says(values, alpha):
    assume((values > -np.inf).any())
    size = np.abs(values[values > -np.inf]).max() + 1
    for got, want in zip(_in_kernel(values, alpha)[:5], _one(values, alpha)[:5]):
        assert_allclose(got, want, atol=1e-9 * size)


@given(VALUES, ALPHAS)
def test_a_strict_kernel_says_it_to_the_bit(values, alpha):
    """A kernel that a browser repeats keeps its own compiler flags, whichever kernel was compiled before."""
    assume((values > -np.inf).any())
    for got, want in zip(_in_strict_kernel(values, alpha), _one(values, alpha)):
        assert_array_equal(got, want)


def test_equal_values_have_no_spread_and_what_rounding_parts_counts_as_equal():
    assert not rule.has_spread(1.0, 0.0)
    assert not rule.has_spread(1e6, 1e-7)
    assert rule.has_spread(1e6, 1e-5)
    assert not rule.has_spread(-np.inf, 0.0)
    assert_array_equal(rule.has_spread(np.array([0.0, -1e6]), np.array([1e-11, 1e-7])), [True, False])
    assert rule.break_point(1.0, 1.0, 1.0, False) == np.inf
    assert rule.spread(np.array([-np.inf]), 0, 1) == (-np.inf, 0.0, 0)


def test_spread_knows_no_unit():
    for unit in (1e-300, 1e-18, 1.0, 1e18, 1e300):
        assert rule.has_spread(unit, 1e-11 * unit)
        assert not rule.has_spread(unit, 1e-13 * unit)
        assert not rule.has_spread(-unit, 0.0)


def test_the_mean_of_differences_whose_sum_is_more_than_a_float_holds():
    values = np.full(1000, -1e306)
    values[0] = 1e306
    for spread in (rule.spread, _spread_in_kernel):
        best, gap, count = spread(values, 0, 1000)
        assert (best, count) == (1e306, 1000)
        assert_allclose(gap, 2e306 * 0.999, rtol=1e-12)


@kernel
def _spread_in_kernel(values, first, last):
    return rule.spread(values, first, last)


def test_alpha_stays_below_one_and_what_equals_the_threshold_goes():
    assert rule.cap_alpha(1.0) == rule.ALPHA_CAP < 1.0
    assert rule.cap_alpha(0.3) == 0.3
    assert not rule.survives(2.0, 2.0)
    assert rule.survives(2.0, rule.threshold(2.0, 1.0, rule.cap_alpha(1.0)))


@given(VALUES, st.floats(-50, 1))
@example(np.array([0.0, -11.24823475]), 0.9999999999999999)
@example(np.array([0.0, -11.24823475]), 0.9995)
def test_just_below_its_break_point_a_score_is_kept(values, share):
    best, gap, _ = spread_of(values)
    assume(gap > 1e-6 * max(1.0, abs(best)))
    score = best - (1 - share) * gap
    assume(score < best)
    alpha = rule.just_below(rule.position(score, best, best - gap))
    assert rule.survives(score, rule.threshold(best, gap, alpha))
    assert alpha <= rule.ALPHA_CAP
    higher = alpha + 3 * rule.ALPHA_MARGIN * max(1.0, 1 - alpha)
    if higher < 1:
        assert not rule.survives(score, rule.threshold(best, gap, higher))


def test_the_gradient_mixes_like_the_threshold():
    best, mean = np.array([1.0, 0.0]), np.array([0.5, 0.5])
    assert_array_equal(rule.mixture(best, mean, 0.25), 0.25 * best + 0.75 * mean)


def spellings(source):
    """(line, what) of every expression in a file that only `rule` may contain."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Assign | ast.AnnAssign):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            yield from ((node.lineno, "a constant of the rule") for t in targets if _is_constant(t))
        elif isinstance(node, ast.BinOp) and (what := _spelled(node)):
            yield node.lineno, what


def _is_constant(target):
    name = _last_name(target).upper()
    return name.endswith(("ALPHA_CAP", "ALPHA_MAX", "NO_SPREAD"))


def _spelled(node):
    left, right = node.left, node.right
    if isinstance(node.op, ast.Sub) and _number(left) == 1:
        if _last_name(right).startswith("alpha"):
            return "the share of the mean"
        if _number(right) == 1e-9:
            return "the cap of alpha"
    if isinstance(node.op, ast.Mult) and 1e-12 in (_number(left), _number(right)):
        other = right if _number(left) == 1e-12 else left
        if isinstance(other, ast.Call) and _last_name(other.func) in ("max", "maximum"):
            return "no spread"
    is_position = isinstance(node.op, ast.Div) and _over_mean(left) and _over_mean(left) == _over_mean(right)
    return "the break point" if is_position else ""


def _over_mean(node):
    """The mean that is subtracted: ``m`` in ``x - m``, if its name says so."""
    if not isinstance(node, ast.BinOp) or not isinstance(node.op, ast.Sub):
        return ""
    return ast.dump(node.right) if "mean" in _last_name(node.right) else ""


def _number(node):
    return node.value if isinstance(node, ast.Constant) else None


def _last_name(node):
    while isinstance(node, ast.Subscript):
        node = node.value
    if isinstance(node, ast.Attribute):
        return node.attr
    return node.id if isinstance(node, ast.Name) else ""


def test_nobody_else_spells_the_rule():
    files = [p for folder in ("spcviz", "pages") for p in sorted((ROOT / folder).rglob("*.py"))]
    misplaced = [
        f"{path.relative_to(ROOT).as_posix()}:{line}: {what} belongs to {HOME}"
        for path in files
        if path not in {ROOT / name for name in (HOME, *APART)}
        for line, what in spellings(path.read_text(encoding="utf-8"))
    ]
    assert not misplaced, "\n" + "\n".join(misplaced)
    at_home = {what for _, what in spellings((ROOT / HOME).read_text(encoding="utf-8"))}
    assert len(at_home) == 4, at_home


@pytest.mark.parametrize(
    ("source", "what"),
    [
        ("ALPHA_CAP = 0.999", "a constant"),
        ("_ALPHA_MAX: float = 0.999", "a constant"),
        ("_NO_SPREAD = 1e-13", "a constant"),
        ("top = min(alpha, 1.0 - 1e-9)", "the cap"),
        ("tau = best - (1 - alpha) * (best - mean)", "the share"),
        ("tau = best - (1.0 - loss.alpha) * gap", "the share"),
        ("tau = best - (1.0 - alphas[w]) * gap", "the share"),
        ("flat = gap <= 1e-12 * np.maximum(1.0, np.abs(best))", "no spread"),
        ("flat = gap <= max(1.0, abs(best)) * 1e-12", "no spread"),
        ("point = (v - f.mean) / (f.best - f.mean)", "the break point"),
        ("point = (v - mean[w]) / (best[w] - mean[w])", "the break point"),
    ],
)
def test_the_checker_catches(source, what):
    matches = list(spellings(source))
    assert len(matches) == 1, matches
    assert matches[0][1].startswith(what)


@pytest.mark.parametrize(
    "source",
    [
        "'''best - (1 - alpha) (best - mean)'''",
        "from spcviz.engine.thresholds.rule import ALPHA_CAP",
        "rest = 1.0 - share",
        "scaled = (values - mean) / scale",
        "scaled = (values - low) / (high - low)",
        "full = agreement > 1 - 1e-12",
        "limit = 1e-12 * norm",
    ],
)
def test_the_checker_lets_pass(source):
    assert not list(spellings(source))
