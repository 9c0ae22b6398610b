"""Sentences of the page Your data: on training, scores, thresholds, purchases and answers."""

import numpy as np

from spcviz.io.source import ENCODINGS as _ENCODINGS
from spcviz.learning.budgets.methods import METHODS
from spcviz.problems.own_data.shown import TERMS
from spcviz.web.cached.ownership import GOES

INTRODUCTION = (
    "# Your data: a file in, the lattice out\n"
    "Bring sentences with labels, or the scores of another model. A small model trains here in seconds, and "
    "every view of this app opens on **your** words."
)
UPLOAD = "Your file: tagged text, scores or a model"
FORMATS = (
    "CoNLL-2000 to 2012, CoNLL-U, TSV or CSV with a token or a sentence a row, JSON and JSON Lines (Hugging "
    "Face, doccano, Label Studio, spaCy, Prodigy, Stanza, CoreNLP, pandas), Parquet, Excel, packed by gzip "
    "or zip; scores of another model as .npz "
    "(`emissions`, `lengths`, where you have them `transitions`, `labels`, `label_names`, `tokens`) or CSV "
    "(`sequence, token, gold`, a column a label); logits of a token classifier (`logits`, `word_ids`, "
    "`id2label`); a model that `spcviz.save` wrote, zipped."
)
SEPARATORS = {
    "auto": "found out", "tab": "tabs", "comma": "commas", "semicolon": "semicolons", "bar": "bars |",
    "space": "spaces", "none": "nothing: one column",
}  # fmt: skip
HEADERS = {"auto": "found out", "yes": "names the columns", "no": "is a token"}
ENCODINGS = {"auto": "found out"} | {name: name for name in _ENCODINGS}
SCHEMES = {"auto": "found out", "BIO": "BIO (IOB2)", "IOB1": "IOB1", "BIOES": "BIOES, BILOU, BMES"}
SUBWORDS = {"first": "the first counts", "last": "the last counts", "mean": "their mean"}
"""Choices that override what the page detected in a file."""

PRIVATE = (
    f"What you bring stays in this server's memory, is never written to a disk, and {GOES}. The link of this "
    "page holds your settings and the file's digest, not the file."
)
METHODS_HELP = (
    "*Perceptron* trains fastest, *CRF* gives probabilities, *Cascade* looks at triples of labels (or more) "
    "among what its filters leave. At most 20,000 tokens are learned from, in at most 60 s of one core."
)
TEMPLATE_HELP = (
    "What the model sees of each word: `word`, `lower`, `shape`, `ending1` to `ending5`, `beginning1` to "
    "`beginning5`, each with a place: `[0]` the word, `[-1]` the one before, `[1]` the one behind; `+` "
    "joins; `bias` is always there."
)
ORDER_HELP = "Labels in a row that the last level looks at."
TRAIN_FIRST = (
    "Train a model, and its lattice opens here: the sentences that training has not seen, one by one."
)

BRING_FIRST = (
    "Bring a file or paste a text, and a model can be trained on it. Examples come with the repository, not "
    "with a package installed by pip."
)
PASTE = "Tagged text, scores as CSV, or JSON"


def another(wanted: str, got: str, *, has_example: bool = True) -> str:
    """Message that the link was made for another file."""
    if not got:
        meanwhile = "; meanwhile you see an example." if has_example else "."
        return (
            f"This link was made for a file with the digest {wanted}. Bring the same file, and its scene "
            f"opens{meanwhile}"
        )
    return (
        f"This link was made for another file: its digest is {wanted}, that of yours {got}. You see your "
        "file under the link's settings."
    )


def another_model(wanted: str) -> str:
    """Message that the link was made with a model that is not loaded."""
    return (
        f"This link was made with a model of the digest {wanted}. Bring the same zip file, and it reads "
        "again."
    )


MODEL_READS = "The model that you brought reads the sentences; its lattice opens in a moment."


WORKS = {"train": "Training", "read": "The model reads", "budget": "Learning to buy",
         "curve": "Training on parts"}  # fmt: skip


def under_way(work: str, state: str, progress: float, ahead: int, seconds: float) -> str:
    """The progress of a job; `work` is a key of `WORKS`."""
    if state == "waiting":
        others = "1 other trains" if ahead == 1 else f"{ahead} others wait"
        return f"In the line: {others} before you, about {max(seconds, 1):.0f} s."
    return f"{WORKS[work]}: {100 * progress:.0f} %" if progress else f"{WORKS[work]} ..."


def sentence(number: int, text: str, is_right: bool) -> str:
    """A sentence in a menu: its number, whether it is read correctly, and its beginning."""
    return f"{'✔' if is_right else '✘'} {number + 1}: {text[:90]}{'…' if len(text) > 90 else ''}"


def describe_training(report) -> str:
    """The outcome of training, in a line."""
    right = (report.truth == report.guess).mean()
    spent = f" in {report.cpu_seconds:.1f} s of a core" if report.cpu_seconds else ""
    return (
        f"Trained on {report.n_train:,} sentences ({report.n_train_tokens:,} tokens, {report.n_features:,} "
        f"features){spent}; of {len(report.truth):,} tokens that it has not "
        f"seen, {100 * right:.1f} % are right."
    )


def read(report) -> str:
    """How an uploaded model reads the sentences, in a line."""
    n, known = len(report.truth), int((report.truth >= 0).sum())
    if not known:
        return (
            f"The model read {n:,} tokens; none has a gold label that it knows, so nothing counts as right "
            "or wrong."
        )
    unknown = (
        f" It does not know {n - known:,} of the gold labels; these count as wrong." if known < n else ""
    )
    right = (report.truth == report.guess).sum() / n
    return (
        f"The model read {n:,} tokens, {100 * right:.1f} % of them right.{unknown} Whether it was trained on "
        "some of them, nobody here can know."
    )


def menu(source) -> str:
    """The label of the menu of sentences."""
    if source.scored is not None:
        return "Sequence"
    return "Sentence" if source.is_brought else "Sentence that training has not seen"


STEPS_HELP = (
    "Scores say which label fits a token; transitions say which label may follow which. They can be those of "
    "the file, the rules of BIO (what is forbidden), estimated from the gold labels of half of the "
    "sequences, or none."
)
BIO = "rules of BIO"
FORBIDDEN = "What is forbidden (−∞) counts here as a penalty that no label can outweigh."
MODEL_HELP = "Unzipped, it is a folder that `spcviz.load` reads; zipped, this page takes it back."
TAKE = (
    "Tables are CSV. Pictures: the lattice's own buttons and the camera beside a chart. The script below "
    "needs the file beside it and repeats the numbers of this page."
)


def describe_scores(report, n: int, steps: str, has_gold: bool) -> str:
    """The findings on another model's scores, in a line."""
    left = f"{report.n_grown:,.0f} of {n**3:,} triples of labels a token are left to score by triples"
    if not has_gold:
        return f"Transitions: {steps}. Without gold labels nothing says what is lost; at α = 0, {left}."
    right = (report.truth == report.guess).mean()
    alpha, first = report.levels[0].tuned_alpha, report.levels[0].test
    kept = (first.points > alpha).sum() / first.n_columns.sum()
    lost = (first.event <= alpha).mean()
    note = f"{FORBIDDEN} " if steps == BIO else ""
    return (
        f"Transitions: {steps}. {note}Of {len(report.truth):,} tokens {100 * right:.1f} % are right. The α "
        f"that the first half of the sequences allows leaves {kept:.1f} of {n} labels a token on the second "
        f"half and loses {100 * lost:.1f} % of its sequences; {left}."
    )


def describe_sweep(level: int, pieces: str, choice, is_scored: bool, n_test: int) -> str:
    """Whether the tolerance holds on sentences not used for tuning, `n_test` in all, in a sentence."""
    dev, test, allowed = choice.dev, choice.test, choice.tolerance
    low, high = choice.test.event_range
    examples = "sequences" if is_scored else "sentences"
    held = "It holds" if test.event <= allowed else "It does not hold"
    return (
        f"**{held}** on test {examples}: at α = {choice.alpha:.3f} {n_of(test)} lose their truth at level "
        f"{level} (true rate between {100 * low:.1f} and {100 * high:.1f} %, 95 %), {100 * dev.event:.1f} % "
        f"on development {examples}, {100 * allowed:.3g} % allowed. Of the {pieces} that the levels before "
        f"left, {100 * test.efficiency:.1f} % stay: {test.n_grams_in:.3g} → {test.n_grams_kept:.3g} a place."
        f"{_before(n_test - test.n_words, level, examples)}"
    )


def _before(n: int, level: int, examples: str) -> str:
    """Why a level counts fewer sentences than there are, in a sentence; empty where it counts all."""
    if n == 0:
        return ""
    unseen = "a label missing or unknown to the model"
    why = f"with {unseen}" if level == 1 else f"whose truth fell at a level before, or with {unseen}"
    return f" Not counted: {n} {examples if n > 1 else examples[:-1]} {why}."


def n_of(at) -> str:
    """The number of sentences lost, out of all, with the share."""
    return f"{at.n_event} of {at.n_words} ({100 * at.event:.1f} %)"


RULES = {"spc": "max-marginals (SPC)", "crf": "marginals (CRF)"}


def describe_rules(choices, tolerance: float, n_labels: int) -> str:
    """Labels that two rules leave at the same allowed loss, in a sentence."""
    lines = [
        f"**{RULES[choice.key]}** leave {choice.kept:.2f} of {n_labels} labels a token and lose "
        f"{100 * choice.lost_test:.1f} % of test sentences ({100 * choice.lost_dev:.1f} % of development)"
        for choice in choices
    ]
    return f"At {100 * tolerance:.3g} % allowed, {lines[0]}; {lines[1]}. Both filter the same model's labels."


def mistakes(rows, n_wrong: int) -> str:
    """The most frequent confusions, in a sentence."""
    if not rows:
        return "Every token is right."
    shown = ", ".join(f"{gold} read as {guess} ({n})" for gold, guess, n in rows[:3])
    return f"{n_wrong:,} tokens are wrong. Most often: {shown}."


def sure(error: float, has_probabilities: bool) -> str:
    """How well calibrated the marginals are, in a sentence."""
    what = (
        "probabilities that the model was trained for"
        if has_probabilities
        else "shares of a model that was not trained for probabilities: they only rank"
    )
    return (
        f"The mean distance between how sure an answer is and how often it is right is {100 * error:.1f} "
        f"points. These are {what}."
    )


NO_FEATURES = "Scores have no features to buy: this view wants tagged text."
NO_GOLD = "Without gold labels there is nothing to be right or wrong: this view wants a file that has them."


SPEND_FIRST = (
    "What would you pay for features, if the words alone were free? A model learns to read at every tier, "
    "and policies learn what to buy next. It takes up to a minute."
)


def describe_purchases(outcome, report, is_brought: bool) -> str:
    """What policies buy, and for which model, in a few sentences."""
    free, full = outcome.curves[0].right[0], outcome.curves[0].right[-1]
    tiers = ", then ".join(outcome.tiers[1:])
    middle = {curve.key: float(np.interp(0.2, curve.spent, curve.right)) for curve in outcome.curves}
    best = max(middle, key=lambda key: middle[key])
    shown = " · ".join(
        f"{METHODS[key].describe(TERMS)[0]} {100 * value:.1f} %" for key, value in middle.items()
    )
    right = 100 * (report.truth == report.guess).mean()
    other = "the model that was brought" if is_brought else "the page's own model"
    return (
        f"**A model of its own reads here**, not {other} ({right:.1f} % right): its features come in tiers, "
        f"are folded into fewer numbers, and it learns from {outcome.n_train:,} sentences. "
        f"Free: {outcome.tiers[0]}; a unit buys a token's next features: {tiers}. Drawn are "
        f"{len(outcome.batch.truths)} sentences; of all {outcome.n_tokens:,} held-out tokens, with nothing "
        f"bought {100 * free:.1f} % are right, with everything {100 * full:.1f} %. At a fifth of the cost: "
        f"{shown}. The best there is {METHODS[best].describe(TERMS)[0]}; "
        "differences of a point or two are noise."
    )


CURVE_FIRST = (
    "Trains the model with the settings of this page on an eighth, a quarter, half and all of its sentences, "
    "each judged by the same held-out ones: about twice the time of one training."
)
NO_CURVE = "This view trains models on parts of your sentences: it wants a model that is trained here."


def describe_learning(curve) -> str:
    """Whether more sentences would help, judged by the gain from the last doubling."""
    first, last = curve.points[-2], curve.points[-1]
    parts = []
    for test in curve.doubled:
        gap, low, high = (100 * value for value in (test.second - test.first, test.low, test.high))
        span = f"({low:+.1f} to {high:+.1f}, 95 %)"
        parts.append(f"{test.measure} {gap:+.1f} points {span}, to {100 * test.second:.1f} %")
    is_up = any(test.low > 0 for test in curve.doubled)
    head = "**More data would probably help:**" if is_up else "**It is not shown that more data would help:**"
    return (
        f"{head} with {last.n_sentences:,} sentences in place of {first.n_sentences:,}, {'; '.join(parts)}. "
        f"Judged by the same {curve.n_held:,} held-out tokens."
    )


KIND, ALL = "kind", "all"
MORE_OF_VERDICT = "What is guaranteed, and how much is read right"
SCORES = (
    "A chunk is right if its kind, first and last word are (as seqeval and CoNLL's script count); where "
    "labels write no chunks, each label counts. Intervals: sentences drawn 1,000 times with replacement."
)
NO_MODEL = "Scores came without a model: this view wants one that was trained here, or brought."
TYPE = "Type a sentence"
TYPE_LIKE = "Any sentence: the model reads it as you press Enter"
WEIGHTS = ("Speaks for it", "Speaks against it")
STEPS_TABLE = "Weight of the step from a label (row) to the next (column), in the first filter"
NO_RUNS = "Nothing was trained in this visit yet: each training will be a row here, with its settings."
RUNS = "Each training of this visit. Choose a row to look at it again, two to compare them."
OTHER_SENTENCES = (
    "These runs have held out different sentences (seed or share held out differ): a paired test "
    "needs the same."
)


def span(low: float, high: float) -> str:
    """An interval of a share in per cent."""
    return "-" if low != low else f"{100 * low:.1f} to {100 * high:.1f}"


def describe_answers(result) -> str:
    """How good the answers are, in a sentence, with the baseline."""
    whole, (share, low, high) = result.scores[0], result.right
    n = sum(map(len, result.gold))
    is_chunked = whole.n_gold != sum(label is not None for row in result.gold for label in row)
    f1 = f"F1 of chunks **{100 * whole.f1:.1f} %** ({span(whole.low, whole.high)});" if is_chunked else ""
    usual = ""
    if result.baseline:
        of = f"F1 {100 * result.baseline[0].f1:.1f} %, " if is_chunked else ""
        usual = f" The most frequent tag of each word: {of}{100 * result.baseline_right:.1f} % of tokens."
    what = f"{f1} tokens" if f1 else "Tokens"
    interval = f"({span(low, high)}; 95 %, {n:,} held-out tokens)"
    return f"{what} right **{100 * share:.1f} %** {interval}.{usual}"


def own(words, labels) -> str:
    """A sentence with its labels, for readers who cannot see the picture."""
    return " ".join(f"{word}/{label}" for word, label in zip(words, labels))[:1000]


def describe_difference(first: int, second: int, test) -> str:
    """Whether one run is better than another, in a sentence."""
    gap, low, high = (100 * value for value in (test.second - test.first, test.low, test.high))
    if test.low > 0 or test.high < 0:
        better = second if test.low > 0 else first
        head = f"**Run {better} is better** in {test.measure}"
    else:
        head = f"**No difference is shown** in {test.measure}"
    return (
        f"{head}: run {first} {100 * test.first:.1f} %, run {second} {100 * test.second:.1f} %; {gap:+.1f} "
        f"points ({low:+.1f} to {high:+.1f}, 95 %, sentences drawn together), p = {test.p:.3f} by "
        "exchanging answers."
    )
