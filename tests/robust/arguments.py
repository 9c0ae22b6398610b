"""Bad arguments to every door of the engine: a typed error that names the argument, and never NaN.

A door is a public function that documents what it accepts from any caller: its docstring mentions
``array_like`` or has a section Raises (`doors`). `valid` holds one good call of each, and of some other
functions; a case replaces one argument by something bad.
"""

import ast
import contextlib
import importlib
import inspect
import pkgutil
import re
import time
from functools import cache

import numpy as np
from numpy.typing import ArrayLike

import spcviz.engine
from spcviz.engine.chains import quiescent
from spcviz.engine.errors import InfeasibleError, SpcvizError
from spcviz.engine.graphs import ensemble, exhaustive, gibbs, placed
from spcviz.engine.ngrams import dense, space
from spcviz.engine.ngrams import table as ngrams
from spcviz.engine.thresholds import filtering
from spcviz.problems.pose.model import templates as limb_templates

SECONDS = 2.0  # no call may take longer
INNER = ("carrying", "checks", "extras", "inputs", "jit", "rule", "semirings", "sources", "widths")
"""Modules without doors: parts of the doors themselves, of kernels, and of kernels' files."""
PARTS = {
    "chu_liu_edmonds.check_scores",
    "results.curve",
    "results.efficiency_curve",
    "filtering.break_points_batch",
    "filtering.checked_alphas",
    "filtering.largest_alpha",
    "filtering.lowest_alpha",
    "filtering.margin_points_batch",
    "filtering.threshold_batch",
    "filtering.truth_break_points",
    "filtering.truth_margin_points",
    "lattice.best_path",
    "lattice.pointers",
    "prune.truth_points",
    "rules.lowest",
    "rules.truth_points",
    "rules.tune_setting",
    "rules.way_of",
    "space.labels_of",
}
"""Functions that take results of doors and have no separate call here."""
ANYWHERE = (
    "templates.gather.rows",
    "templates.gather.columns",
    "templates.gather.points",
    "templates.respond.points",
)
"""Places that may be outside the picture, where there is nothing to see."""


OF_PROBLEMS = ("spcviz.problems.exact.agglomerate", "spcviz.problems.pose.model.templates")
"""Modules of problems with kernels that could as well be the engine's."""


@cache
def _modules():
    """Names of the engine's modules, and of those `OF_PROBLEMS`."""
    infos = pkgutil.walk_packages(spcviz.engine.__path__, "spcviz.engine.")
    return [*(info.name for info in infos if not info.ispkg), *OF_PROBLEMS]


@cache
def doors():
    """{"module.function": function} of the engine."""
    functions = {}
    for path in _modules():
        module_name = path.rpartition(".")[2]
        if module_name in INNER:
            continue
        module = importlib.import_module(path)
        for name, function in vars(module).items():
            is_own = inspect.isfunction(function) and function.__module__ == module.__name__
            if is_own and name[0] != "_" and _is_door(function) and f"{module_name}.{name}" not in PARTS:
                functions[f"{module_name}.{name}"] = function
    return functions


def _is_door(function):
    """Whether a function takes arrays of any kind, or its docstring says what it raises."""
    doc = inspect.getdoc(function) or ""
    says = any(mark in doc for mark in ("array_like", "Raises\n---", "Error`"))
    return says or ArrayLike in inspect.get_annotations(function).values()


def function_of(name):
    """The function behind "module.function" of the engine."""
    module, _, function = name.partition(".")
    path = next(name for name in _modules() if name.rpartition(".")[2] == module)
    return getattr(importlib.import_module(path), function)


CALLS = """
chu_liu_edmonds.decode      scores=arc_scores
arborescence.marginals      scores=arc_scores
arborescence.max_marginals  scores=arc_scores
arborescence.without_arcs   scores=arc_scores
projective.decode           scores=arc_scores
beam.beam_decode            table unary lengths order=2 width=3
agglomerate.agglomerate     unary ngrams
agglomerate.separate        labels=[1,2] states
chain.decode                unary pairwise
chain.max_marginals         unary pairwise
chain.marginals             unary pairwise
chain.witness               unary pairwise position=1 state=2
chain.k_best                unary pairwise k=3
chain.score                 unary pairwise labels
chain.decode_batch          unary pairwise lengths
chain.max_marginals_batch   unary pairwise lengths
chain.checked_chain         unary pairwise
batch.marginals_batch       unary pairwise lengths
batch.k_best_batch          unary pairwise lengths k=2
batch.summarise_chains    unary pairwise lengths
dense.dense_model           table order=2
dense.dense_decode          model unary
ensemble.split              unary pairwise edges membership
ensemble.max_marginals      models
ensemble.filter_states      best=[3.0] unary=[[[3.0,1.0],[3.0,1.0]]] alpha=0.5
ensemble.filter_summed      best=[4.0,4.0] means=[0.0,0.0] summed=[[1.0,7.0],[3.0,2.0]] alpha=0.5
ensemble.joint_filter_loss  truth_score=2.0 filtered
ensemble.state_rank         scores=unary
exhaustive.factor_graph     n_states=[2,2] scopes=[[0],[0,1]] tables
exhaustive.chain_graph      unary pairwise
exhaustive.n_configurations n_states=[2,2]
exhaustive.stored_entries   n_states=[2,2] scopes=[[0],[0,1]]
exhaustive.search           graph cap=1000
exhaustive.eliminate        graph order=[1,0]
exhaustive.scanlines        unary=lines pairwise=smooth
filtering.threshold         max_marginals=arc_score alpha=0.5
filtering.keep              max_marginals=arc_score limit best_path=[0]
filtering.losses            max_marginals=arc_score limit truth_score=1.0 truth=[1] mask
filtering.break_points      max_marginals=arc_score
guarantees.n_allowed        n=100 tolerance=0.1 guarantee=0.9
gibbs.seeds                 rng n_samples=2
gibbs.sample                unary pairwise edges seeds n_sweeps=2 start=labels
graph.checked_edges         edges n_nodes=4
graph.checked_graph         unary pairwise edges
graph.adjacency             n_nodes=4 edges
graph.root_forest           n_nodes=4 edges root=1
graph.grid_edges            rows=2 columns=3
grid.comb_membership        rows=2 columns=3
grid.as_graph               unary=lines across down
grid.comb_max_marginals     unary=lines across down
grid.summed_max_marginals   unary=lines across down
grid.score                  unary=lines across down labels=pixels
lattice.score_arcs          lattice unary table
lattice.messages            lattice arc_score
lattice.log_marginals       lattice arc_score
lattice.decode              lattice arc_score
lattice.witness             lattice arc_score arc=2
lattice.score_labels        lattice unary table labels
loopy_bp.propagate          unary pairwise edges kind='max' max_iterations=5 damping=0.5 tolerance=1e-6 \
                            schedule='parallel'
table.ngram_table           n_states=3 keys weights=[1.0]
table.empty_table           n_states=3
table.symbol_bits           n_states=3
table.encode                n_states=3 states=[0,1]
placed.check_problem        unary=[0.0,0.0,2.0] places edges=[[0,1]] kinds=[0] joints
placed.max_marginals        unary=[0.0,0.0,2.0] places edges=[[0,1]] kinds=[0] joints
placed.witness_counts       unary=[0.0,0.0,2.0] places edges=[[0,1]] kinds=[0] joints
prune.prune                 lattice arc_score alpha=0.5 max_arcs=10
prune.keep_unaries          unary row_start=[0,4] alpha=0.5
prune.keep_states           lattice=pairs arc_score=nothing alpha=0.5 left=allowed
quiescent.quiet_messages    unary pairwise
quiescent.ripple            unary pairwise messages position=1 tolerance=0.5 scale='range'
soft.soft_best              unary pairwise epsilons=[1.0,0.0]
space.unigrams              lengths=[4] n_states=3 allowed
space.bigrams               lengths=[4] n_states=3 allowed
space.extend                lattice keep
space.extended_size         lattice keep
space.symbols               lattice example=0
space.path_of               lattice labels
templates.turned_points     points=[[6.0,0.0]] n_angles=4 pitch=3.0
templates.respond           cells points weights=[[5.0,0.0]]
templates.gather            cells points rows=[0,0] columns=[1,1] angles=[0,1]
tree.decode                 unary pairwise edges
tree.witness                unary pairwise edges node=1 state=2
tree.max_marginals          unary pairwise edges
tree.node_max_marginals     unary pairwise edges
tree.marginals              unary pairwise edges
tree.score                  unary pairwise edges labels
tree.check_tree             unary pairwise edges
"""
"""A good call of each door: names of its arguments, whose values are those of `_good` by the same name, or by
the name after "=", which may also be a literal without spaces."""


def _good():
    """{name: a good value} for `CALLS`."""
    rng = np.random.default_rng(0)
    unary, pairwise = rng.normal(size=(4, 3)), rng.normal(size=(3, 3))
    edges, lattice = np.array([[0, 1], [1, 2], [1, 3]]), space.unigrams([4], 3)
    arc_score, key = rng.normal(size=lattice.n_arcs), ngrams.encode(3, [0, 1])
    limit, table = filtering.threshold(arc_score, 0.5), ngrams.ngram_table(3, [key], [1.0])
    membership, allowed = np.ones((2, 3), dtype=bool), np.ones((4, 3), dtype=bool)
    tables = [[0.0, 1.0], np.eye(2)]
    graphs = {
        "edges": edges, "membership": membership, "seeds": gibbs.seeds(rng, 2), "tables": tables,
        "models": ensemble.split(unary, edges, pairwise, membership),
        "filtered": ensemble.filter_states([3.0], [[[3.0, 1.0], [3.0, 1.0]]], 0.5),
        "graph": exhaustive.factor_graph([2, 2], [[0], [0, 1]], tables),
        "lines": rng.normal(size=(2, 3, 2)), "smooth": np.zeros((2, 2)),
        "across": rng.normal(size=(2, 2, 2, 2)), "down": rng.normal(size=(1, 3, 2, 2)),
        "pixels": np.zeros((2, 3), dtype=int),
        "places": placed.Places(
            np.array([0, 1, 3]), np.array([0.0, 1.0, 5.0]), np.zeros(3), np.zeros(3, int)
        ),
        "joints": placed.Joints(*[np.zeros((1, 2))] * 2, np.ones((1, 2)), np.zeros((1, 4))),
        "cells": np.arange(4.0).reshape(1, 2, 2),
        "points": limb_templates.turned_points([[0.0, 0.0]], 4, 3.0),
    }  # fmt: skip
    return graphs | {
        "rng": rng, "unary": unary, "pairwise": pairwise, "lengths": [3, 1], "labels": np.array([0, 1, 2, 0]),
        "messages": quiescent.quiet_messages(unary, pairwise), "lattice": lattice, "arc_score": arc_score,
        "keys": [key], "table": table, "model": dense.dense_model(table, 2), "ngrams": np.ones((2, 3, 3, 3)),
        "states": np.array([[0, 0], [0, 1], [1, 0], [1, 1]]), "allowed": allowed, "limit": limit,
        "mask": filtering.keep(arc_score, limit), "keep": np.ones(12, dtype=bool), "nothing": np.zeros(27),
        "pairs": space.bigrams([4], 3, allowed), "arc_scores": rng.normal(size=(4, 4)),
    }  # fmt: skip


@cache
def valid():
    """{"module.function": arguments of a good call}."""
    good, calls = _good(), {}
    for line in CALLS.strip().replace("\\\n", "").splitlines():
        name, *arguments = line.split()
        given = ((key, value or key) for key, _, value in (one.partition("=") for one in arguments))
        calls[name] = {key: good[v] if v in good else ast.literal_eval(v) for key, v in given}
    return calls


def check_call(seed):
    """One call with one bad argument; returns 1, raises if the call did what it must not."""
    rng = np.random.default_rng(seed)
    names = list(valid())
    name = names[seed % len(names)]
    arguments = dict(valid()[name])
    at = str(rng.choice(list(arguments)))
    what, bad, must_refuse = _bad(arguments[at], rng)
    is_default = bad is None and inspect.signature(function_of(name)).parameters[at].default is None
    must_refuse = (
        must_refuse and not is_default and not (f"{name}.{at}" in ANYWHERE and what in ("-9", "2^62"))
    )
    shown = f"{name}({at}: {what})"
    start = time.perf_counter()
    try:
        got = function_of(name)(**arguments | {at: bad})
    except InfeasibleError:
        pass  # the error itself says what is wrong: every score is -inf
    except SpcvizError as error:
        named = [at] if must_refuse else arguments  # a shape may disagree with that of another argument
        if not any(re.search(rf"\b{n}\b", str(error)) for n in named):
            raise AssertionError(f"{shown} is not named: {error}") from error
    except Exception as error:
        raise AssertionError(f"{shown} raises {type(error).__name__}: {error}") from error
    else:
        assert not must_refuse, f"{shown} is taken: {bad!r}"
        assert not _has_nan(got), f"{shown} comes out as NaN"
    if time.perf_counter() - start >= SECONDS:  # it may have been compiling: then the next call is quick
        start = time.perf_counter()
        with contextlib.suppress(SpcvizError):
            function_of(name)(**arguments | {at: bad})
        assert time.perf_counter() - start < SECONDS, f"{shown} takes over {SECONDS} s"
    return 1


def _bad(good, rng):
    """(what is bad, the value, whether it has to be refused) in place of a good argument."""
    bad = [("None", None, True), ("an object", object(), True)]
    if isinstance(good, np.random.Generator):
        bad += [("a number", 7, True)]
    elif isinstance(good, str):
        bad += [("another word", "wörd\x00", True), ("a number", 7, True)]
    elif isinstance(good, int):
        bad += [(f"{v!r}", v, True) for v in (-1, 10**19, 1.5, np.nan, "1", [1])]
    elif isinstance(good, float):
        bad += [(f"{v!r}", v, True) for v in (np.nan, np.inf, "0.5", 1j)]
        bad += [(f"{v!r}", v, False) for v in (-1.0, 1e300, -np.inf, [0.5])]
    elif _is_array(good):
        bad = bad + _bad_arrays(np.asarray(good), rng)
    else:  # a tuple of arrays that another function made
        bad += [("a number", 7, True), ("a text", "x", True), ("nothing", (), hasattr(good, "_fields"))]
    return bad[int(rng.integers(len(bad)))]


def _is_array(good):
    """Whether an argument is an array, or a list that becomes one."""
    is_even = isinstance(good, list) and len({np.shape(part) for part in good}) <= 1
    return is_even or isinstance(good, np.ndarray)


def _bad_arrays(good, rng):
    bad = [
        ("texts", np.full(good.shape, "x"), True),
        ("complex numbers", good + 1j, True),
        ("one axis more", good[None], False),
        ("no axis", good.reshape(-1)[0], False),
        ("nothing in it", good[:0], False),
        ("a row less", good[:-1], False),
        ("a row more", np.concatenate([good, good[:1]]), False),
        ("a column less", good[..., :-1], False),
        ("ragged", [[0.0], [0.0, 1.0]], True),
    ]
    at = tuple(int(rng.integers(size)) for size in good.shape)
    hidden = np.zeros(good.shape, dtype=bool)
    hidden[at] = True
    bad += [("a masked entry", np.ma.array(good, mask=hidden), True)]

    def with_one(value, dtype=None):
        changed = good.astype(dtype or good.dtype)
        changed[at] = value
        return changed

    if good.dtype.kind == "f":
        bad += [("NaN", with_one(np.nan), True), ("+inf", with_one(np.inf), True)]
        bad += [("-inf", with_one(-np.inf), False), ("1e308", with_one(1e308), True)]
        bad += [("all -inf", np.full(good.shape, -np.inf), False)]
    elif good.dtype.kind in "iu":
        bad += [("a fraction", with_one(0.5, float), True), ("NaN", with_one(np.nan, float), True)]
        if good.dtype.kind == "i":
            bad += [("-9", with_one(-9), True), ("2^62", with_one(2**62), True)]
    return bad


def _has_nan(got):
    if isinstance(got, tuple | list):
        return any(map(_has_nan, got))
    try:
        array = np.asarray(got)
    except ValueError:
        return False
    return array.dtype.kind == "f" and bool(np.isnan(array).any())
