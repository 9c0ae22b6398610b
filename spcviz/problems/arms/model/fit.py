"""Train predictors of arms over proposals: one model per tier, one for all, held-out readings for policies.

Policies learn from readings of training chains by models that have not seen their clips, because these make
the kind of mistakes that policies will meet (thesis 6.2.3).
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from spcviz.engine.chains.quiescent import fill_messages, transposed_tables
from spcviz.engine.ngrams.table import symbol_bits
from spcviz.learning.budgets.chains import tiered_states
from spcviz.learning.budgets.chains.ngram_sets import seen_grams
from spcviz.learning.budgets.chains.parts import Parts, typical_margin
from spcviz.learning.budgets.chains.tiered import draw_tiers
from spcviz.problems.arms.model import features
from spcviz.problems.arms.model.proposals import N_MODES, N_TIERS, ArmClips, join_clips

EDGES = (features.STATE_EDGES, features.STEP_EDGES)


@dataclass(frozen=True)
class ArmSettings:
    """How predictors are trained. Chosen on the training clips of the first partition."""

    epochs: int = 20  # passes over the chains
    margin: float = 1.0  # by which a wrong joint should lose
    penalty: float = 1e-4  # lambda of the squared norm
    farthest: float = 80.0  # pixels (elbow + wrist) beyond which proposals are equally bad
    n_parts: int = 3  # parts of the training clips for predictions on unseen clips


class Readers(NamedTuple):
    """Trained predictors."""

    plain: tuple  # one per tier, each with a single tier
    tiered: tiered_states.TieredStates


class TierScores(NamedTuple):
    """Scores of K states for R parts at T tiers."""

    scores: np.ndarray  # (R, T, K)
    tables: np.ndarray  # (R, T, K, K): of the step into each part, ``[from, to]``; -inf: not allowed


def proposals_of(clips):
    """Chains in the form that the learner expects."""
    return tiered_states.Proposals(clips.starts, clips.state, clips.before, clips.step)


def find_nearest_paths(clips, settings):
    """The allowed paths nearest to the truth, shape (R,)."""
    off = np.minimum(clips.errors.sum(axis=2), settings.farthest)
    off[~clips.is_known] = 0.0  # any proposal will do: its neighbours decide
    return tiered_states.nearest_paths(proposals_of(clips), off)


def fit_readers(clips: ArmClips, settings: ArmSettings, rng: np.random.Generator) -> Readers:
    """Train all predictors on chains with truth, rounded to float32, as the store returns them."""
    proposals, target = proposals_of(clips), find_nearest_paths(clips, settings)
    fixed = np.zeros(len(target), dtype=np.int64)
    how = {name: getattr(settings, name) for name in ("epochs", "margin", "penalty")}

    def fit(edges, draw):
        weights = tiered_states.fit_tiered_states(proposals, target, clips.loss, edges, draw, rng, **how)
        return tiered_states.TieredStates(*(array.astype(np.float32).astype(np.float64) for array in weights))

    plain = [fit(tuple(e[t : t + 1] for e in EDGES), lambda rng: fixed) for t in range(N_TIERS)]
    return Readers(tuple(plain), fit(EDGES, lambda rng: draw_tiers(clips.starts, N_TIERS, rng)))


def read_plain(readers, clips):
    """Score chains with the plain model of each tier: a `TierScores`."""
    return _read(readers.plain, clips)


def read_tiered(readers, clips):
    """Score chains with the tiered model at each tier: a `TierScores`."""
    return _read([readers.tiered], clips)


def _read(models, clips):
    proposals = proposals_of(clips)
    scores = [tiered_states.state_scores(model, proposals) for model in models]
    tables = [tiered_states.step_tables(model, proposals) for model in models]
    return TierScores(np.concatenate(scores, axis=1), np.concatenate(tables, axis=1))


class Trial(NamedTuple):
    """A set of clips on which methods are measured."""

    # each returns chains for training, for development (if any) and for testing: as copies, so that not all
    splits: list  # are held at once
    names: list[str]  # of the splits
    medians: np.ndarray  # (T,): milliseconds of a frame's features of each tier
    # part_of(clips, settings, rng) -> which part of the training clips each chain is in, shape (W,): its
    part_of: Callable  # readings come from models that have seen only the other parts
    more: ArmClips | None = None  # chains that predictors learn from in addition to every split's own
    # the person of each clip, by its number, where several show one person; else each shows a different one
    people: np.ndarray | None = None


def measured_on(trial):
    """(numbers of all clips, milliseconds of a frame's first tier, of all its later ones)."""
    clips = join_clips(trial.splits[0]())
    costs = costs_of(clips, trial.medians[1:])
    return np.unique(clips.clip), float(trial.medians[0]), costs.sum() / len(clips.joints)


def draw_parts(clips, settings, rng):
    """Assign each chain to one of `settings.n_parts` parts, both arms of a clip to the same: shape (W,)."""
    numbers = np.unique(clips.clip)
    part = rng.permutation(np.arange(len(numbers)) % settings.n_parts)
    return part[np.searchsorted(numbers, clips.clip)]


def with_more(clips, more):
    """Chains that predictors learn from: `clips`, and `more` if there are any."""
    return clips if more is None else join_clips([clips, more])


def read_unseen(
    clips: ArmClips,
    settings: ArmSettings,
    rng: np.random.Generator,
    part: np.ndarray | None = None,
    more: ArmClips | None = None,
) -> tuple[TierScores, TierScores]:
    """Read chains with plain and tiered models trained on the other parts (drawn if None) and `more`."""
    part = draw_parts(clips, settings, rng) if part is None else part
    shape = (len(clips.joints), N_TIERS, N_MODES)
    plain, tiered = (TierScores(np.empty(shape), np.empty((*shape, N_MODES))) for _ in range(2))
    for p in np.unique(part):
        learned = with_more(clips.choose(np.flatnonzero(part != p)), more)
        readers = fit_readers(learned, settings, rng)
        rows, held = np.repeat(part == p, np.diff(clips.starts)), clips.choose(np.flatnonzero(part == p))
        for kept, reading in ((plain, read_plain(readers, held)), (tiered, read_tiered(readers, held))):
            kept.scores[rows], kept.tables[rows] = reading
    return plain, tiered


def learn(trial, train, settings, rng):
    """(part of each training chain, its `read_unseen`, readers of all of them, their `seen_modes`)."""
    part = trial.part_of(train, settings, rng)
    unseen = read_unseen(train, settings, rng, part, trial.more)
    readers = fit_readers(with_more(train, trial.more), settings, rng)
    return part, unseen, readers, seen_modes(train, settings)


def seen_modes(clips, settings):
    """n-grams of modes on the target paths of training chains."""
    return seen_grams(find_nearest_paths(clips, settings), clips.starts, N_MODES)


def parts_of(read: TierScores, clips: ArmClips, seen: np.ndarray, scale: float | None = None) -> Parts:
    """Chains as parts with tiers; margins are compared with `scale`, else with their median at tier 0."""
    rows = len(read.scores)
    tables = np.ascontiguousarray(read.tables.reshape(-1, N_MODES, N_MODES))
    back = transposed_tables(tables)
    step = np.arange(rows * N_TIERS).reshape(rows, N_TIERS)
    if scale is None:
        forward, backward = np.empty((2, rows, N_MODES))
        for a, b in zip(clips.starts[:-1], clips.starts[1:], strict=True):
            unary = np.ascontiguousarray(read.scores[a:b, 0])
            fill_messages(unary, tables, back, step[a:b, 0].copy(), forward[a:b], backward[a:b])
        scale = typical_margin(forward + backward)
    return Parts(
        scores=np.ascontiguousarray(read.scores),
        pairwise=tables,
        transposed=back,
        step=step,
        starts=clips.starts,
        loss=clips.loss,
        seen=seen,
        looks=clips.looks,
        places=np.ascontiguousarray(
            clips.joints[:, :, 1:].reshape(rows, N_MODES, 4) / np.float32(features.NEAR_PX)
        ),
        scale=scale,
        bits=symbol_bits(N_MODES),
    )


def partition(clips: ArmClips, index: int, shares: Sequence[float] = (0.7, 0.1, 0.2)) -> tuple[ArmClips, ...]:
    """Random chains, one set for each share; both arms of a clip stay together."""
    numbers = np.unique(clips.clip)
    order = np.random.default_rng([7, index]).permutation(numbers)
    ends = np.rint(np.cumsum(shares) / np.sum(shares) * len(order)).astype(int)
    groups = np.split(order, ends[:-1])
    return tuple(clips.choose(np.flatnonzero(np.isin(clips.clip, group))) for group in groups)


def costs_of(clips, medians=None):
    """Milliseconds of parts' next tier, (R, T - 1): medians, but a first frame has no flow."""
    costs = np.tile(clips.tier_ms[1:] if medians is None else medians, (len(clips.joints), 1))
    is_flow = [source in features.PITCHES for source in features.LADDER[1:]]
    costs[np.ix_(clips.starts[:-1], np.flatnonzero(is_flow))] = 0.0
    return costs
