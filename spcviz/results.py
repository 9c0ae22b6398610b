"""What pages, figures and components draw: named tuples of plain arrays, no behaviour.

Index conventions. A word has L positions and K states (letters, tags). A level of a cascade
works on n-grams; its *arcs* are n-grams in columns: column c holds assignments of positions
c .. c+n-1, so a level of order n has C = L - n + 1 columns. Arcs are numbered column by column,
``col_start[c] : col_start[c + 1]``, and inside a column by their symbols in dictionary order.
"""

from typing import NamedTuple

import numpy as np


class LevelTrace(NamedTuple):
    """One level of a cascade on one example, before its own pruning.

    Attributes
    ----------
    order : int
        n of the n-grams (1 = single states).
    col_start : ndarray, shape (C + 1,), int64
        Column c holds arcs ``col_start[c] : col_start[c + 1]``.
    symbols : ndarray, shape (A, order), int32
        The states of each arc, first position first.
    score : ndarray, shape (A,)
        The arc's own score; arcs of column 0 carry the scores of all their positions.
    forward : ndarray, shape (A,)
        Best score of a path from the start up to and including the arc.
    backward : ndarray, shape (A,)
        Best score of the rest of a path after the arc (0 in the last column).
    max_marginal : ndarray, shape (A,)
        Score of the best complete path through the arc; -inf if there is none.
    previous, following : ndarray, shape (A,), int32
        The neighbouring arcs on the arc's witness path, -1 at the ends.
    map_arcs : ndarray, shape (C,), int32
        The best path, one arc a column.
    truth_arcs : ndarray, shape (C,) or (0,), int32
        The true path; empty when the truth is unknown or fell at an earlier level.
    truth_score : float
        Score of the true path under this level's model (also when it has fallen); NaN if unknown.
    best, mean : float
        Largest and mean finite max-marginal; threshold = best - (1 - alpha)(best - mean).
    n_valid : int
        Number of arcs with a finite max-marginal: what the mean is over.
    has_spread : bool
        False when all max-marginals are equal; then nothing is pruned.
    alpha : float
        The alpha this level was pruned with to make the next.
    tuned_alpha : float
        The alpha that training chose on development data.
    was_capped : bool
        True if the next level would have been too large and alpha was raised to `alpha_used`.
    alpha_used : float
        Equal to `alpha` unless capped.
    microseconds : float
        Time for scores, messages, threshold and pruning of this level.
    """

    order: int
    col_start: np.ndarray
    symbols: np.ndarray
    score: np.ndarray
    forward: np.ndarray
    backward: np.ndarray
    max_marginal: np.ndarray
    previous: np.ndarray
    following: np.ndarray
    map_arcs: np.ndarray
    truth_arcs: np.ndarray
    truth_score: float
    best: float
    mean: float
    n_valid: int
    has_spread: bool
    alpha: float
    tuned_alpha: float
    was_capped: bool
    alpha_used: float
    microseconds: float


class WordTrace(NamedTuple):
    """A cascade run on one word, level by level.

    Attributes
    ----------
    word_id : int
        Index of the word in the data set, -1 for a word drawn by the user.
    truth : ndarray, shape (L,) or (0,), int32
        True states; empty if unknown.
    pixels : ndarray, shape (L, 16, 8), uint8
        1 = ink.
    alphabet : tuple of str, length K
        Display name of each state.
    levels : tuple of LevelTrace
        Orders 1 .. n (an order larger than L stays at L).
    predictions : ndarray, shape (n_levels, L), int32
        The final predictor's labelling at each order, within that level's lattice.
    microseconds : float
        Whole cascade including the last predictor.
    microseconds_dense : float
        Exact dense Viterbi of the same order on the same word; NaN if not run (orders above 4).
    words : tuple of str
        For tagged text, the L words; then `pixels` has no rows.
    meanings : tuple of str
        For tagged text, the K states in plain words.
    level_names : tuple of str
        What to call each level; by their order if empty.
    """

    word_id: int
    truth: np.ndarray
    pixels: np.ndarray
    alphabet: tuple
    levels: tuple
    predictions: np.ndarray
    microseconds: float
    microseconds_dense: float
    words: tuple = ()
    meanings: tuple = ()
    level_names: tuple = ()


class TagComparison(NamedTuple):
    """One sentence pruned by two rules in the same space, and tagged with and without structure.

    Attributes
    ----------
    words : tuple of str
    spc, crf : tuple of tuple of str
        For each word the tags that stay, likeliest first.
    alone : tuple of str
        Each word's best tag when no word sees its neighbours' tags.
    tagged : tuple of str
        The cascade's answer.
    meanings : dict of str to str
        Tags in plain words.
    spc_alpha, crf_alpha : float
    """

    words: tuple
    spc: tuple
    crf: tuple
    alone: tuple
    tagged: tuple
    meanings: dict
    spc_alpha: float
    crf_alpha: float


class StepCurve(NamedTuple):
    """A right-continuous step function of alpha on [0, 1].

    Attributes
    ----------
    alpha : ndarray, shape (S,)
        Where it steps, rising; the first entry is 0.
    value : ndarray, shape (S,)
        Its value from alpha[s] on, up to alpha[s + 1].
    """

    alpha: np.ndarray
    value: np.ndarray


class LossCurves(NamedTuple):
    """One level's filter on one set of words, at every alpha; shares from 0 to 1.

    Attributes
    ----------
    split : {"dev", "test"}
    n_words : int
        All words of the set.
    n_lost_before : int
        How many had lost their truth at earlier levels; the loss curves are over the others.
    by_definition, event : StepCurve
        Share of those words whose truth scores at most tau (Definition 1), and of those that do lose
        an n-gram of the truth. Every step up to a loss of 5 %, thinned for drawing after that.
    efficiency : StepCurve
        Share of n-grams kept (Definition 2), over all words; thinned for drawing.
    """

    split: str
    n_words: int
    n_lost_before: int
    by_definition: StepCurve
    event: StepCurve
    efficiency: StepCurve


class SweepLevel(NamedTuple):
    """One level of a cascade over all alphas.

    Attributes
    ----------
    features : str
    level : int
        1, 2, ...; also the order of its n-grams.
    tuned_alpha : float
        What training chose.
    tolerance : float
        What training allowed, 0 to 1.
    tuned_on : {"event", "definition"}
    dev, test : LossCurves
    """

    features: str
    level: int
    tuned_alpha: float
    tolerance: float
    tuned_on: str
    dev: LossCurves
    test: LossCurves


class LossesAt(NamedTuple):
    """One set of words at one alpha.

    Attributes
    ----------
    split : {"dev", "test"}
    n_words : int
        Words that still had their truth: what the losses are shares of.
    by_definition, event, efficiency : float
        0 to 1.
    n_event : int
        Words that lose their truth here.
    event_range : (float, float)
        95 % interval of the event's probability from n_event of n_words (Clopper and Pearson).
    cumulative_by_definition, cumulative_event : float
        With the words lost at earlier levels, as a share of all words.
    n_grams_in, n_grams_kept : float
        Mean per column of the lattice; NaN where it was not stored.
    """

    split: str
    n_words: int
    by_definition: float
    event: float
    efficiency: float
    n_event: int
    event_range: tuple
    cumulative_by_definition: float
    cumulative_event: float
    n_grams_in: float
    n_grams_kept: float


class SweepChoice(NamedTuple):
    """An alpha, what it costs, and what was asked for.

    Attributes
    ----------
    alpha : float
    tolerance : float
    is_feasible : bool
        False if development words lose more than the tolerance even at alpha = 0.
    dev, test : LossesAt
    """

    alpha: float
    tolerance: float
    is_feasible: bool
    dev: LossesAt
    test: LossesAt


class BoundTerms(NamedTuple):
    """Theorem 1 for one loss: empirical + complexity + confidence = total; vacuous from 1 on.

    Attributes
    ----------
    empirical, complexity, confidence, total : float
    is_vacuous : bool
    samples_needed : float
        n from which the total could fall below 1; inf if never.
    measured : float
        The loss itself (no margin) on the same words.
    """

    empirical: float
    complexity: float
    confidence: float
    total: float
    is_vacuous: bool
    samples_needed: float
    measured: float


class SweepBound(NamedTuple):
    """Theorem 1 at one alpha with everything that enters.

    Attributes
    ----------
    alpha, margin, delta : float
        Margin gamma in units of score.
    spread : float
        Median over words of best minus mean max-marginal: what makes a margin large or small.
    n_samples : int
        Test words whose truth reached this level.
    n_assignments : int
        m, the most n-grams that the lattice of one of these words holds here.
    n_factors : int
        |F|, the most columns.
    weight_norm, factor_norm, norm : float
        Norm of the filter's weights, largest norm of a factor's features, and B, their product.
    filter_loss, efficiency_loss : BoundTerms
    held_out : float
        Upper end of Hoeffding's interval for the filter loss, which needs no complexity term because
        these words took no part in training.
    """

    alpha: float
    margin: float
    delta: float
    spread: float
    n_samples: int
    n_assignments: int
    n_factors: int
    weight_norm: float
    factor_norm: float
    norm: float
    filter_loss: BoundTerms
    efficiency_loss: BoundTerms
    held_out: float


class LiveGrid(NamedTuple):
    """One random grid, its combs and its sampled truth: N variables row by row, K states, P combs.

    Attributes
    ----------
    rows, columns : int
    strength : float
        Pairwise scores are uniform on [-strength, strength].
    seed : int
    edges : ndarray, shape (E, 2)
    membership : ndarray, shape (P, E), bool
        Which edges each comb has; row combs first.
    best : ndarray, shape (P,)
        Each comb's best score.
    combs : ndarray, shape (P, N, K)
        Max-marginals of each comb.
    summed : ndarray, shape (N, K)
        Their sum.
    frequencies : ndarray, shape (N, K)
        Share of samples with each state.
    n_samples, n_sweeps : int
    error : ndarray, shape (K,)
        At k - 1: share of sampled states not among the k best of `summed`.
    error_combs : ndarray, shape (P, K)
    error_samples : ndarray, shape (K,)
        Of ranking by `frequencies` themselves: no ranking can do better.
    agreement : ndarray, shape (N,)
        Mean rank correlation of the combs; NaN if there is but one comb or state.
    """

    rows: int
    columns: int
    strength: float
    seed: int
    edges: np.ndarray
    membership: np.ndarray
    best: np.ndarray
    combs: np.ndarray
    summed: np.ndarray
    frequencies: np.ndarray
    n_samples: int
    n_sweeps: int
    error: np.ndarray
    error_combs: np.ndarray
    error_samples: np.ndarray
    agreement: np.ndarray


class GridBeliefs(NamedTuple):
    """Loopy belief propagation on a `LiveGrid`, iteration by iteration.

    Attributes
    ----------
    kind : {"sum", "max"}
    damping : float
    beliefs : ndarray, shape (N, K)
        Where it ended; rows add up to 1.
    trace : ndarray, shape (T + 1, N, K)
        Beliefs before the first iteration and after each.
    residual : ndarray, shape (T, N)
        Largest change of a message into each variable.
    converged : ndarray, shape (N,), bool
    error : ndarray, shape (K,)
        As in `LiveGrid`.
    """

    kind: str
    damping: float
    beliefs: np.ndarray
    trace: np.ndarray
    residual: np.ndarray
    converged: np.ndarray
    error: np.ndarray


class GridPruned(NamedTuple):
    """What the ensemble keeps of a `LiveGrid` at one alpha.

    Attributes
    ----------
    alpha : float
    keep : ndarray, shape (N, K), bool
    threshold : float
        Sum of the combs' thresholds.
    is_rescued : ndarray, shape (N,), bool
        Variables that had lost every state and were given back their best.
    efficiency_loss : float
        Share of states kept.
    lost : ndarray, shape (N,)
        Share of samples whose state at the variable was pruned.
    """

    alpha: float
    keep: np.ndarray
    threshold: float
    is_rescued: np.ndarray
    efficiency_loss: float
    lost: np.ndarray


class StrengthSweep(NamedTuple):
    """One random grid at S coupling strengths, everything else the same.

    Attributes
    ----------
    strengths : ndarray, shape (S,)
    ensemble, lbp, tree, samples : ndarray, shape (S, K)
        Errors as in `LiveGrid`; `tree` is the mean of all combs.
    settled : ndarray, shape (S,)
        Share of variables whose messages had stopped changing.
    """

    strengths: np.ndarray
    ensemble: np.ndarray
    lbp: np.ndarray
    tree: np.ndarray
    samples: np.ndarray
    settled: np.ndarray


class WordProblem(NamedTuple):
    """Some letters of a handwritten word as a chain of D positions with K candidate letters each.

    Attributes
    ----------
    word_id : int
    pixels : ndarray, shape (D, 16, 8), uint8
    truth : ndarray, shape (D,), int64
        0 = a.
    candidates : ndarray, shape (D, K), int64
        Letters on offer at each position, in alphabetical order.
    unary : ndarray, shape (D, K)
    pairwise : ndarray, shape (D - 1, K, K)
    """

    word_id: int
    pixels: np.ndarray
    truth: np.ndarray
    candidates: np.ndarray
    unary: np.ndarray
    pairwise: np.ndarray


class ExactRun(NamedTuple):
    """Exhaustive search against dynamic programming on a `WordProblem`; labels index its candidates.

    Attributes
    ----------
    score : float
        Of the best labelling, by dynamic programming.
    labels, separate : ndarray, shape (D,), int64
        The best labelling; the best of each position by itself.
    score_search : float
        By exhaustive search; NaN if there were too many configurations.
    n_configurations : int
        K to the D.
    n_visited, n_letters_searched : int
        What search really did: fewer letters if all were too many.
    seconds_search, seconds_projected : float
        Measured; scaled up to all configurations.
    n_entries : int
        Candidates that dynamic programming looks at.
    seconds_dp : float
    forward, backward : tuple of ndarray, shape (K,)
        Message i into position i + 1; message i into position D - 2 - i.
    forward_choice, backward_choice : tuple of ndarray, shape (K,), int64
        The state behind each entry of a message.
    max_marginals : ndarray, shape (D, K)
    """

    score: float
    labels: np.ndarray
    separate: np.ndarray
    score_search: float
    n_configurations: int
    n_visited: int
    n_letters_searched: int
    seconds_search: float
    seconds_projected: float
    n_entries: int
    seconds_dp: float
    forward: tuple
    forward_choice: tuple
    backward: tuple
    backward_choice: tuple
    max_marginals: np.ndarray


class PictureReadings(NamedTuple):
    """A picture read pixel by pixel, row by row and as a grid; all images (H, W).

    Attributes
    ----------
    name : str
    seen : tuple of ndarray
        What is given: left and right view, or one spoiled picture; 0 .. 1, or (H, W, 3).
    truth : ndarray
        NaN where unknown.
    readings : tuple of ndarray, int64
        Of the three.
    errors, mean_off, seconds : tuple of float
        Share of known pixels more than `slack` off; mean distance from the truth; time taken.
    slack : int
    n_states : int
    weight : float
        Of smoothness.
    n_iterations : int
        Of belief propagation on the grid.
    settled : float
        Share of pixels whose messages had stopped changing.
    """

    name: str
    seen: tuple
    truth: np.ndarray
    readings: tuple
    errors: tuple
    mean_off: tuple
    seconds: tuple
    slack: int
    n_states: int
    weight: float
    n_iterations: int
    settled: float


class Decomposition(NamedTuple):
    """Restriction sets over D variables, counted.

    Attributes
    ----------
    sizes : tuple of int
        Entries of each table.
    n_stored : int
        Their sum.
    n_configurations : int
        What exhaustive search visits.
    n_explored : int
        What dynamic programming looks at in its best order.
    order : tuple of int
        That order of the variables, from 0.
    widest : tuple of int
        The variables that its largest step looks at together.
    """

    sizes: tuple
    n_stored: int
    n_configurations: int
    n_explored: int
    order: tuple
    widest: tuple


class TreeProblem(NamedTuple):
    """Two handwritten words that cross at a letter: N letters, K candidates each, N - 1 edges.

    Attributes
    ----------
    names : tuple of str
        "across 1", ..., "down 1", ...; the crossing letter is "crossing".
    place : ndarray, shape (N, 2), int64
        Columns from the crossing (negative = before it); line: 0 crossing, 1 across, -1 down.
    pixels : ndarray, shape (N, 16, 8), uint8
    truth : ndarray, shape (N,), int64
    candidates : ndarray, shape (N, K), int64
        Letters on offer, in alphabetical order.
    unary : ndarray, shape (N, K)
    edges : ndarray, shape (N - 1, 2), int64
        In reading order.
    pairwise : ndarray, shape (N - 1, K, K)
    """

    names: tuple
    place: np.ndarray
    pixels: np.ndarray
    truth: np.ndarray
    candidates: np.ndarray
    unary: np.ndarray
    edges: np.ndarray
    pairwise: np.ndarray


class TreeMessage(NamedTuple):
    """One message: what a node tells a neighbour.

    Attributes
    ----------
    source, target : int
    values : ndarray, shape (K,)
        By state of the target: best score of everything behind the source.
    choice : ndarray, shape (K,), int64
        The source's state behind each.
    """

    source: int
    target: int
    values: np.ndarray
    choice: np.ndarray


class TreeRun(NamedTuple):
    """Messages on a `TreeProblem` in the order they are sent: to the root, then from it.

    Attributes
    ----------
    root : int
    messages : tuple of TreeMessage
        2 (N - 1); the first N - 1 go to the root.
    max_marginals : ndarray, shape (N, K)
    score : float
    labels, separate : ndarray, shape (N,), int64
        The best labelling; the best of each letter by itself.
    n_entries : int
        Sums compared on the way to the root.
    """

    root: int
    messages: tuple
    max_marginals: np.ndarray
    score: float
    labels: np.ndarray
    separate: np.ndarray
    n_entries: int


class Purchases(NamedTuple):
    """One method's purchases on a batch of chains, in order; a budget takes as many as fit.

    Attributes
    ----------
    name, label, help : str
        Key, what a menu calls it, one sentence on what it does.
    start_readings : tuple of str
        Of every chain, before the first purchase.
    base_units, base_us : float
        Spent on the whole batch by then.
    chain : ndarray of int, shape (S,)
        Index into the batch.
    position : ndarray of int, shape (S,)
        Part of the chain, -1 = all of them.
    tier : ndarray of int, shape (S,)
        Its tier after the purchase; 0 is free.
    units, us : ndarray, shape (S,)
        Cost of the purchase: units, and measured microseconds with all overhead.
    readings : tuple of str
        The chain after it.
    """

    name: str
    label: str
    help: str
    start_readings: tuple
    base_units: float
    base_us: float
    chain: np.ndarray
    position: np.ndarray
    tier: np.ndarray
    units: np.ndarray
    us: np.ndarray
    readings: tuple


class ArmPictures(NamedTuple):
    """What W chains of arms look like: R frames in all, of C clips.

    Attributes
    ----------
    clip : ndarray of int, shape (W,)
        Whose pictures, 0 .. C - 1.
    side : ndarray of int, shape (W,)
        0 = left arm, 1 = right.
    sheets : tuple of str, length C
        The frames of a clip side by side, squares: data URIs.
    joints : ndarray, shape (R, K, 3, 2)
        Shoulder, elbow, wrist of each state, pixels of a picture of 240 x 240.
    truth : ndarray, shape (R, 3, 2)
    """

    clip: np.ndarray
    side: np.ndarray
    sheets: tuple
    joints: np.ndarray
    truth: np.ndarray


class TradeOff(NamedTuple):
    """A batch of W chains (R parts in all), and what every method buys on it.

    Chains are words and their parts letters, or arms through a clip and their frames. A reading is text: a
    symbol of the alphabet (a state) for every part.

    Attributes
    ----------
    task : {"words", "arms"}
    chain_ids : ndarray of int, shape (W,)
        The word in the data set; the seed of the clip.
    truths : tuple of str
        What is right.
    alphabet : str
        Symbols of the K states.
    faults : ndarray, shape (R, K), uint8
        What is wrong if a part is read as a state, a bit each: 1 the letter; 1 the elbow, 2 the wrist.
    pixels : ndarray, shape (R, 16, 8), uint8, or None
        Of words; 1 = ink.
    arms : ArmPictures or None
    tier_names, tier_short : tuple of str
        Of tiers 0 .. T - 1, long and short.
    full_units, full_us : float
        Buying everything for every chain, without any policy.
    hand_base_units, hand_base_us : float
        Spent before the first purchase by hand.
    hand_units, hand_us : ndarray, shape (T, W)
        Cost of raising a whole chain to each tier from the one below; row 0 is 0.
    hand_readings : tuple of tuple of str
        ``hand_readings[t][w]``: chain w read at tier t.
    methods : tuple of Purchases
    """

    task: str
    chain_ids: np.ndarray
    truths: tuple
    alphabet: str
    faults: np.ndarray
    pixels: np.ndarray | None
    arms: ArmPictures | None
    tier_names: tuple
    tier_short: tuple
    full_units: float
    full_us: float
    hand_base_units: float
    hand_base_us: float
    hand_units: np.ndarray
    hand_us: np.ndarray
    hand_readings: tuple
    methods: tuple


class PolicyTrace(NamedTuple):
    """One method on one word of L letters, purchase by purchase: S purchases, S + 1 states.

    Attributes
    ----------
    name, label, help : str
    tiers : ndarray of int, shape (S + 1, L)
    readings : tuple of str
        Of each state.
    values : ndarray, shape (S + 1, L)
        What the policy predicts the next purchase at each letter to gain; NaN where nothing is for sale
        or nothing is predicted.
    position : ndarray of int, shape (S,)
        Letter bought for; -1 = several at once.
    units, us : ndarray, shape (S + 1,)
        Spent so far; microseconds with features, inference and the policy's own time.
    forward, backward : ndarray of int, shape (S + 1, 2)
        First and last letter whose messages the purchase changed, in the direction of travel; -1 = none.
    messages, full_messages : ndarray of int, shape (S + 1,)
        Messages passed so far, and what recomputing all of them each time would have passed.
    """

    name: str
    label: str
    help: str
    tiers: np.ndarray
    readings: tuple
    values: np.ndarray
    position: np.ndarray
    units: np.ndarray
    us: np.ndarray
    forward: np.ndarray
    backward: np.ndarray
    messages: np.ndarray
    full_messages: np.ndarray


class PolicyWord(NamedTuple):
    """One word and what several methods do with it.

    Attributes
    ----------
    word_id : int
    truth : str
    pixels : ndarray, shape (L, 16, 8), uint8
    tier_names : tuple of str
    full_units, full_us : float
        Buying everything without a policy.
    traces : tuple of PolicyTrace
    """

    word_id: int
    truth: str
    pixels: np.ndarray
    tier_names: tuple
    full_units: float
    full_us: float
    traces: tuple


class PosePart(NamedTuple):
    """Hypotheses of one limb in one frame at one level, strongest last.

    Attributes
    ----------
    limbs : ndarray, shape (n, 2, 2)
        ``[hypothesis, inner or outer end, x or y]``, pixels of a 240 x 240 picture.
    below_best : ndarray, shape (n,)
        Summed max-marginal minus the best: 0 or less.
    keep : ndarray of bool, shape (n,)
    each : ndarray, shape (sub-models, n)
        The same for every sub-model by itself.
    """

    limbs: np.ndarray
    below_best: np.ndarray
    keep: np.ndarray
    each: np.ndarray


class PoseLevel(NamedTuple):
    """One level of a frame.

    Attributes
    ----------
    rows, columns, n_angles : int
        The level's own grid.
    parts : tuple of PosePart
    threshold : float
        Below the best, as `PosePart.below_best`.
    alpha : float
    """

    rows: int
    columns: int
    n_angles: int
    parts: tuple
    threshold: float
    alpha: float


class PoseFrame(NamedTuple):
    """A frame after the whole cascade.

    Attributes
    ----------
    levels : tuple of PoseLevel
    best : ndarray, shape (P, 2, 2)
    top : ndarray, shape (P, 4, 2, 2)
        The best limbs that differ, by max-marginal at the last level.
    seconds_detect, seconds_cascade : float
        Measured a frame.
    """

    levels: tuple
    best: np.ndarray
    top: np.ndarray
    seconds_detect: float
    seconds_cascade: float


class PoseScene(NamedTuple):
    """A picture or clip to look at.

    Attributes
    ----------
    title : str
    images : ndarray, shape (N, 240, 240, 3), uint8
    pictures, thumbnails : tuple of str
        The same as data URIs, for browsers.
    truth : ndarray, shape (N, 5, 2, 2), or None
    """

    title: str
    images: np.ndarray
    pictures: tuple
    thumbnails: tuple
    truth: np.ndarray | None


class PoseBudget(NamedTuple):
    """Both arms of a clip of N frames: read by four plain models, and by DMS-pi purchase by purchase.

    Arms are (N, 2, 3, 2): ``[frame, left or right of the picture, shoulder or elbow or wrist, x or y]``,
    pixels of a 240 x 240 picture.

    Attributes
    ----------
    tier_names : tuple of str, length T
    four : ndarray, shape (T, N, 2, 3, 2)
        By the plain model of each tier.
    truth : ndarray, shape (N, 2, 3, 2), or None
    four_ms : ndarray, shape (T,)
        Time for everything up to each tier, in all frames; tier 0 is free. Like all times but one it is as
        measured in training: a policy has to know it before it buys.
    free_ms : float
        What tier 0 takes a frame and arm.
    seconds : float
        What all features of the clip took here.
    ms : ndarray, shape (S + 1,)
        Time spent by DMS-pi before its first purchase and after each.
    tiers : ndarray, shape (S + 1, N, 2), int64
    arms : ndarray, shape (S + 1, N, 2, 3, 2), float32
    """

    tier_names: tuple
    four: np.ndarray
    truth: np.ndarray | None
    four_ms: np.ndarray
    free_ms: float
    seconds: float
    ms: np.ndarray
    tiers: np.ndarray
    arms: np.ndarray
