"""Errors of elbows and wrists summed over random partitions, with standard errors over clips or people."""

import numpy as np

JOINTS = ("elbow", "wrist")


class Tally:
    """Sums over `n` partitions: `wrong` (budgets, clips, joints), tested `frames`, other `means`."""

    def __init__(self, n_budgets, n_clips):
        self.wrong, self.frames = np.zeros((n_budgets, n_clips, 2)), np.zeros(n_clips)
        self.means, self.n = {}, 0

    def add(self, wrong, frames, **means):
        """Add a partition."""
        self.wrong += wrong
        self.frames += frames
        self.n += 1
        for name, values in means.items():
            self.means[name] = self.means.get(name, 0.0) + np.asarray(values, dtype=float)

    def by(self, people):
        """The same sums with each person's clips merged: ``people`` (clips,) is the person of each clip."""
        _, person = np.unique(people, return_inverse=True)
        out = Tally(len(self.wrong), person.max() + 1)
        np.add.at(out.wrong, (slice(None), person), self.wrong)
        np.add.at(out.frames, person, self.frames)
        out.means, out.n = self.means, self.n
        return out

    @property
    def n_tested(self):
        """How many clips (or people) have frames that were tested."""
        return int((self.frames > 0).sum())

    def mean(self, name):
        """Mean over partitions."""
        return self.means[name] / self.n

    @property
    def error(self):
        """Percent of elbows and of wrists that are wrong, shape (G, 2)."""
        return 100 * self.wrong.sum(axis=1) / self.frames.sum()

    def stderr(self):
        """Standard errors of `error`."""
        return ratio_error(self.wrong, self.frames)

    def rows(self, method: str, **more):
        """One row of a result for each budget; `more` are further entries of every row."""
        error, spread = self.error, self.stderr()
        both = error.mean(axis=1)
        both_spread = ratio_error(self.wrong.mean(axis=2, keepdims=True), self.frames)
        out = []
        for g in range(len(error)):
            row = {"method": method} | more
            row |= {name: float(self.mean(name)[g]) for name in self.means if self.means[name].ndim == 1}
            for j, joint in enumerate(JOINTS):
                row |= {f"{joint}_error": error[g, j], f"{joint}_error_stderr": spread[g, j]}
            row |= {"error": both[g], "error_stderr": both_spread[g, 0]}
            out.append({key: tidy(value) for key, value in row.items()})
        return out


def ratio_error(wrong: np.ndarray, frames: np.ndarray) -> np.ndarray:
    """Standard error over clips with frames of ``100 * wrong.sum(clips) / frames.sum()``: (G, J).

    >>> ratio_error(np.array([[[0.0], [2.0]]]), np.array([2.0, 2.0])).tolist()
    [[50.0]]
    """
    return _ratio_error(wrong, frames, frames > 0)


def _ratio_error(parts, wholes, tested):
    n, parts, wholes = int(tested.sum()), parts[:, tested], wholes[tested]
    if n < 2:
        return np.full((len(parts), parts.shape[2]), np.nan)
    off = parts - wholes[:, None] * (parts.sum(axis=1) / wholes.sum())[:, None]
    return 100 * np.sqrt(n / (n - 1) * (off**2).sum(axis=1)) / wholes.sum()


def tier_rows(name, errors):
    """Percent of elbows and wrists wrong with everything at one tier, (T, 2): rows for checks."""
    rows = enumerate(errors.tolist())
    return [{name: t, "elbow_error": elbow, "wrist_error": wrist} for t, (elbow, wrist) in rows]


def gap(one: Tally, other: Tally, at: int, at_other: int | None = None):
    """(one's error minus other's, its standard error over clips) at budgets of the same partitions."""
    apart = one.wrong[at] - other.wrong[at if at_other is None else at_other]
    return 100 * apart.sum(axis=0) / one.frames.sum(), ratio_error(apart[None], one.frames)[0]


def gap_of_both(one: Tally, other: Tally, at: int, at_other: int) -> tuple[float, float]:
    """`gap` for elbows and wrists together."""
    apart = (one.wrong[at] - other.wrong[at_other]).mean(axis=1, keepdims=True)
    return 100 * float(apart.sum()) / one.frames.sum(), float(ratio_error(apart[None], one.frames)[0, 0])


def gain_kept(one: Tally, fixed: Tally, at: int, other: Tally | None = None) -> tuple[float, float]:
    """A method's gain at a budget, in percent of what the last tier for all gains over the first.

    With ``other``, that percentage less the other's. The standard error is that of a ratio of sums over
    clips, or over people (`Tally.by`). NaN where the last tier gains nothing.
    """
    before, after = (fixed.wrong[t].mean(axis=1) for t in (0, -1))
    gained = (before if other is None else other.wrong[at].mean(axis=1)) - one.wrong[at].mean(axis=1)
    possible = before - after
    if not possible.sum() > 0:
        return np.nan, np.nan
    spread = _ratio_error(gained[None, :, None], possible, fixed.frames > 0)
    return 100 * float(gained.sum() / possible.sum()), float(spread[0, 0])


def tidy(value):
    """A number for JSON: rounded, None for NaN."""
    if isinstance(value, float | np.floating):
        return round(float(value), 4) if np.isfinite(value) else None
    return value


def equal_rows(tallies, targets):
    """Rows of all methods where they have spent equally many milliseconds."""
    return [
        row | {"target": target}
        for method, tally in tallies.items()
        for target, row in zip(targets, tally.rows(method), strict=True)
    ]


def plain(value):
    """Numbers, lists and dictionaries of a result in JSON's types, rounded."""
    if isinstance(value, dict):
        return {key: plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple | np.ndarray):
        return [plain(item) for item in value]
    return tidy(value)
