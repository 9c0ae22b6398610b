"""What the page about a visitor's own data says."""

INTRODUCTION = (
    "# Your data: a file in, the lattice out\n"
    "Bring sentences with labels, or the scores of another model. A small model trains here in seconds, and "
    "every view of this app opens on **your** words."
)
UPLOAD = "Your file: tagged text, scores or a model"
FORMATS = (
    "CoNLL-2000, CoNLL-2003, CoNLL-U, TSV or CSV with one token a line; scores of another model as .npz "
    "(`emissions`, `lengths`, where you have them `transitions`, `labels`, `label_names`, `tokens`) or CSV "
    "(`sequence, token, gold`, a column a label); logits of a token classifier (`logits`, `word_ids`, "
    "`id2label`); a model that `spcviz.save` wrote, zipped."
)
PRIVATE = (
    "Your data stay in this server's memory, are never written to a disk, and go with your visit, after 30 "
    "minutes without use at the latest. The link of this page holds your settings and the file's digest, not "
    "the file."
)
METHODS_HELP = (
    "*Perceptron* trains fastest, *CRF* gives probabilities, *Cascade* looks at triples of labels (or more) "
    "among what its filters leave. At most 20,000 tokens are learned from, in at most 60 s of one core."
)
TEMPLATE_HELP = (
    "What the model sees of each word: `word`, `lower`, `shape`, `ending1` to `ending5`, `beginning1` to "
    "`beginning5`, each with a place: `[0]` the word, `[-1]` the one before, `[1]` the one behind; `+` joins; "
    "`bias` is always there."
)
ORDER_HELP = "Labels in a row that the last level looks at."
TRAIN_FIRST = (
    "Train a model, and its lattice opens here: the sentences that training has not seen, one by one."
)


def another(wanted: str, got: str) -> str:
    """That the link was made for another file."""
    if not got:
        return (
            f"This link was made for a file with the digest {wanted}. Bring the same file, and its scene opens; "
            "meanwhile you see an example."
        )
    return (
        f"This link was made for another file: its digest is {wanted}, that of yours {got}. You see your file "
        "under the link's settings."
    )


def under_way(state: str, progress: float, ahead: int, seconds: float) -> str:
    """How far a training is."""
    if state == "waiting":
        others = "1 other trains" if ahead == 1 else f"{ahead} others wait"
        return f"In the line: {others} before you, about {max(seconds, 1):.0f} s."
    return f"Training: {100 * progress:.0f} %" if progress else "Training: reading the sentences"


def sentence(number: int, words: list[str], is_right: bool | None) -> str:
    """A sentence in a menu: its number, whether it is read right, how it begins."""
    mark = "" if is_right is None else "✔ " if is_right else "✘ "
    text = " ".join(words)
    return f"{mark}{number + 1}: {text[:90]}{'…' if len(text) > 90 else ''}"


def trained(report) -> str:
    """What training came to, in a line."""
    right = (report.truth == report.guess).mean()
    return (
        f"Trained on {report.n_train:,} sentences ({report.n_train_tokens:,} tokens, {report.n_features:,} "
        f"features) in {report.cpu_seconds:.1f} s of a core; of {len(report.truth):,} tokens that it has not "
        f"seen, {100 * right:.1f} % are right."
    )
