"""Benchmark of the taggers against CRFsuite, on equal string features: accuracy, time, memory.

Every run is a separate process, so that its peak of memory is its own; contenders alternate. Times are the
process's CPU seconds and begin and end at lists of strings on both sides: training includes numbering the
features (CRFsuite: passing them, and writing its model file), tagging includes looking them up. Loading
compiled kernels, and reading the data, are counted on neither side. Settings are chosen on the development
sentences, from equally many for each; results are on test sentences.
"""

import functools
import resource
import sys
import tempfile
import time
from collections.abc import Callable
from itertools import chain
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse

from benchmarks import peers, serving
from spcviz.engine import checks
from spcviz.engine.errors import SpcvizError
from spcviz.problems.tagging.data.corpora import FOLDERS, read_ewt, read_splits
from spcviz.sequences import CascadeTagger, ChainCRF, StructuredPerceptron
from spcviz.shared.folders import data_folder
from spcviz.shared.report import describe, markdown_table
from spcviz.shared.work import processes


class Data(NamedTuple):
    """Sentences, the columns that make a tag (of "ewt"), the share of the training sentences used."""

    name: str
    corpus: str
    columns: tuple[str, ...]
    share: float = 1.0


UPOS = Data("UD English EWT, UPOS", "ewt", ("upos",))
PENN = Data("WSJ sample, 45 Penn tags", "wsj", ("tag",))
MORPHOLOGY = Data(
    "UD English EWT, UPOS + XPOS + features, a quarter of the sentences",
    "ewt",
    ("upos", "tag", "feats"),
    0.25,
)
PASSES, PENALTIES = (5, 10, 20), (0.03, 0.3, 1.0)
TOLERANCES = (0.01, 0.02, 0.05)


class Contender(NamedTuple):
    """One program training one kind of model, with the settings that are tried on development sentences."""

    what: str
    name: str
    tries: tuple[dict[str, Any], ...]
    data: Data = UPOS


def _tries(name: str, values: tuple, **more: Any) -> tuple[dict[str, Any], ...]:
    return tuple({name: value, **more} for value in values)


STEPS = {"feature.possible_transitions": True}
"""As is this library's default; each CRF runs until its own stopping criterion."""
CONTENDERS = (
    Contender("perceptron", "python-crfsuite", _tries("max_iterations", PASSES)),
    Contender("perceptron", "spcviz", _tries("max_iter", PASSES)),
    Contender("CRF", "python-crfsuite", _tries("c2", PENALTIES, **STEPS)),
    Contender("CRF", "spcviz", _tries("c2", PENALTIES)),
    Contender("cascade of order 3", "spcviz", _tries("tolerance", TOLERANCES)),
)
FEW = {"pair_model": "perceptron", "max_iter": 5, "cv": 2}
"""Settings of cascades of many tags: not chosen by accuracy, but for the time they take."""
HUNDREDS = {**FEW, "tolerance": 0.1, "max_arcs": 3000}
"""Settings for hundreds of tags: a filter that loses 1 in 100 sentences leaves 72 tags at every token."""
CONTENDERS += tuple(
    Contender(what, name, tries, data)
    for data, orders, few in ((PENN, (2, 3, 4), FEW), (MORPHOLOGY, (2, 3), HUNDREDS))
    for what, name, tries in (
        ("perceptron", "python-crfsuite", ({"max_iterations": 5},)),
        ("perceptron", "spcviz", ({"max_iter": 5},)),
        *((f"cascade of order {order}", "spcviz", (few,)) for order in orders),
    )
)
OURS = {"perceptron": StructuredPerceptron, "CRF": ChainCRF}


N_TIMES = 6
"""How often the test sentences are repeated for two threads, 150,000 tokens in all."""


class Measured(NamedTuple):
    """One run: shares right, CPU seconds of training, tokens tagged per CPU second, peak in megabytes."""

    tokens_right: float
    sentences_right: float
    train_s: float
    tokens_per_s: float
    peak_mb: float


def bench_library(*, scale: float = 1.0, repeats: int = 3, tick: Callable = lambda text: None) -> dict:
    """Tune every contender on a share `scale` of the training sentences, then measure it `repeats` times."""
    scale = checks.number("scale", scale, 0.001, 1)
    repeats = checks.integer("repeats", repeats, 1, 1000)
    folder = data_folder()
    missing = [] if folder is None else [name for name in FOLDERS.values() if not (folder / name).is_dir()]
    if folder is None or missing:
        wanted = ", ".join(missing or FOLDERS.values())
        raise SpcvizError(f"bench library needs SPCVIZ_DATA with {wanted}: see python -m spcviz data")
    contenders = [
        contender
        for contender in CONTENDERS
        if contender.name == "spcviz" or peers.import_if_there("pycrfsuite")
    ]
    chosen = [_tune(contender, folder, scale, tick) for contender in contenders]
    measured: list[list[Measured]] = [[] for _ in contenders]
    for turn in range(repeats):
        for i, contender in enumerate(contenders):
            tick(f"turn {turn + 1} of {repeats}: {contender.name}, {contender.what}")
            measured[i].append(_alone(contender, chosen[i], folder, scale, "test", 0))
    rows = [
        {
            "data": contender.data.name,
            "what": contender.what,
            "contender": contender.name,
            **{field: float(np.median(values)) for field, values in zip(Measured._fields, zip(*runs))},
            **{
                f"{field}_range": [float(min(values)), float(max(values))]
                for field, values in zip(Measured._fields, zip(*runs))
                if field in ("train_s", "tokens_per_s")
            },
            "setting": {
                key: value
                for key, value in setting.items()
                if key not in STEPS or key not in contender.tries[0]
            },
        }
        for contender, setting, runs in zip(contenders, chosen, measured)
    ]
    tick("two threads")
    threads = _on_its_own(two_threads, folder, scale, repeats)
    tick("a sentence a call")
    served = _on_its_own(_serve, folder, scale, repeats)
    settings = {"scale": scale, "repeats": repeats, "statistic": "median; CPU seconds of the process"}
    source = "this library's taggers and CRFsuite's on the same string features"
    return describe(
        "bench-library", source, rows, baselines=[], settings=settings, data={},
        absent=[] if peers.import_if_there("pycrfsuite") else ["pycrfsuite"], threads=threads,
        serving=served,
    )  # fmt: skip


def _tune(contender: Contender, folder: Path, scale: float, tick: Callable) -> dict[str, Any]:
    """The setting with which most development tokens are right; the only one if there is one."""
    if len(contender.tries) == 1:
        return contender.tries[0]
    shares = []
    for setting in contender.tries:
        tick(f"on development sentences: {contender.name}, {contender.what}, {setting}")
        shares.append(_alone(contender, setting, folder, scale, "dev", 0).tokens_right)
    return contender.tries[int(np.argmax(shares))]


def _alone(contender: Contender, *of: Any) -> Measured:
    """`measure` in a separate process."""
    return _on_its_own(measure, contender, *of)


def _on_its_own(function: Callable, *of: Any) -> Any:
    with processes.pool(1) as executor:
        return executor.submit(function, *of).result()


def two_threads(folder: Path, scale: float, repeats: int) -> list[dict[str, Any]]:
    """Speed-up of `predict` by two threads over one, by the wall clock, alternating.

    Only one thread at a time reads X, whatever it holds; names take longest.
    """
    X, y = _read(UPOS, folder, "train", scale * MORPHOLOGY.share)
    test = _read(UPOS, folder, "test", 1.0)[0] * N_TIMES
    number = {name: i for i, name in enumerate(dict.fromkeys(chain.from_iterable(chain.from_iterable(X))))}
    inputs = {
        "names": (X, test),
        "sparse matrices": ([_matrix(x, number) for x in X], [_matrix(x, number) for x in test]),
    }
    rows = []
    for tagger in (StructuredPerceptron(max_iter=5, random_state=0), CascadeTagger(**FEW, random_state=0)):
        what = "cascade of order 3" if isinstance(tagger, CascadeTagger) else "perceptron"
        for name, (train, unseen) in inputs.items():
            tagger.fit(train, y)
            seconds: dict[int, list[float]] = {1: [], 2: []}
            for n_jobs in [1, 2] * (1 + 2 * repeats):
                start = time.perf_counter()
                tagger.set_params(n_jobs=n_jobs).predict(unseen)
                seconds[n_jobs].append(time.perf_counter() - start)
            one, two = (float(np.median(each[1:])) for each in seconds.values())
            rows.append({"what": what, "input": name, "one_s": one, "two_s": two, "ratio": one / two})
    return rows


def _serve(folder: Path, scale: float, repeats: int) -> list[dict[str, Any]]:
    """`serving` of the test sentences, by taggers of a quarter of the training sentences."""
    train = _read(UPOS, folder, "train", scale * MORPHOLOGY.share)
    return serving.serving(train, _read(UPOS, folder, "test", 1.0)[0], repeats)


def _matrix(sentence: list[list[str]], number: dict[str, int]) -> sparse.csr_matrix:
    """(L, F) indicators of a sentence's feature names, without those that have no number."""
    known = [[number[name] for name in names if name in number] for names in sentence]
    ends = np.cumsum([0, *map(len, known)])
    columns = np.fromiter(chain.from_iterable(known), np.int32, ends[-1])
    return sparse.csr_matrix((np.ones(len(columns), np.float32), columns, ends), (len(known), len(number)))


def measure(
    contender: Contender, setting: dict[str, Any], folder: Path, scale: float, split: str, seed: int
) -> Measured:
    """Train with one setting and tag the sentences of a split."""
    X, y = _read(contender.data, folder, "train", scale * contender.data.share)
    wanted, truth = _read(contender.data, folder, split, 1.0)
    train, tag = (
        _of_crfsuite(contender, setting) if contender.name != "spcviz" else _of_ours(contender, setting, seed)
    )
    start = time.process_time()
    train(X, y)
    train_s = time.process_time() - start
    times = []
    for _ in range(3):
        start = time.process_time()
        tags = tag(wanted)
        times.append(time.process_time() - start)
    right = [[a == b for a, b in zip(*both)] for both in zip(tags, truth)]
    tokens = np.fromiter(chain.from_iterable(right), bool)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / (2**20 if sys.platform == "darwin" else 2**10)
    rate = len(tokens) / float(np.median(times))
    return Measured(float(tokens.mean()), float(np.mean([all(r) for r in right])), train_s, rate, peak)


def _of_ours(contender: Contender, setting: dict[str, Any], seed: int) -> tuple[Callable, Callable]:
    kind = OURS.get(contender.what) or functools.partial(CascadeTagger, order=int(contender.what.split()[-1]))
    small = [[["a"], ["b"]], [["b"]], [["a"], ["a"], ["b"], ["a"]]] * 3, [["A", "B"], ["B"], [*"AABA"]] * 3
    warm = kind(random_state=seed).fit(*small)  # loads, or compiles, the kernels
    warm.predict(small[0])
    tagger = kind(random_state=seed, **setting)
    return tagger.fit, tagger.predict


def _of_crfsuite(contender: Contender, setting: dict[str, Any]) -> tuple[Callable, Callable]:
    library = peers.import_if_there("pycrfsuite")
    path = str(Path(tempfile.mkdtemp(prefix="spcviz-")) / "model")
    tagger = library.Tagger()

    def train(X: list, y: list) -> None:
        trainer = library.Trainer(
            verbose=False, algorithm="ap" if contender.what == "perceptron" else "lbfgs"
        )
        trainer.set_params(setting)
        for item, labels in zip(X, y):
            trainer.append(item, labels)
        trainer.train(path)
        tagger.open(path)

    def tag(X: list) -> list:
        return [tagger.tag(item) for item in X]

    return train, tag


def _read(data: Data, folder: Path, split: str, scale: float) -> tuple[list, list]:
    """(string features, tags) of a split's sentences."""
    if data.corpus == "ewt":  # the other splits would count as memory
        sentences = read_ewt(folder, split, *data.columns)
    else:
        sentences = read_splits(data.corpus, folder)[split]
    sentences = sentences[: max(int(scale * len(sentences)), 1)]
    tags = [[sys.intern("|".join(token[1:])) for token in sentence] for sentence in sentences]
    return [features([token[0] for token in sentence]) for sentence in sentences], tags


def features(words: list[str]) -> list[list[str]]:
    """Words, their affixes and shapes and their neighbours, as strings.

    >>> features(["The", "dog"])[0][:4]
    ['b', 'w=The', 'l=the', 's3=the']
    """
    low = ["<2>", "<1>", *(word.lower() for word in words), "</1>", "</2>"]
    rows = []
    for i, word in enumerate(words):
        lower = low[i + 2]
        names = ["b", f"w={word}", f"l={lower}"]
        names += [f"s3={lower[-3:]}", f"s2={lower[-2:]}", f"p2={lower[:2]}", f"p3={lower[:3]}"]
        shapes = (word[0].isupper(), word.isupper(), any(map(str.isdigit, word)), "-" in word)
        names += [name for name, is_so in zip(("Upper", "UPPER", "digit", "hyphen"), shapes) if is_so]
        names += [f"-1={low[i + 1]}", f"+1={low[i + 3]}", f"-2={low[i]}", f"+2={low[i + 4]}"]
        rows.append([sys.intern(name) for name in names])  # each text once in memory, for all contenders
    return rows


COLUMNS = (
    "data", "model", "program", "tokens right, %", "sentences right, %", "training, s", "tokens/s", "MB",
)  # fmt: skip
"""Columns of the table of a stored result."""


def section(result: dict) -> str:
    """A summary of the stored result, for the evidence; `experiments.bench_results` has every row."""
    lines = []
    for row in result["rows"]:
        if row["what"] == "cascade of order 2":  # the evidence is kept short; docs/benchmarks.md has these
            continue
        right = f"{100 * row['tokens_right']:.2f}", f"{100 * row['sentences_right']:.2f}"
        cost = f"{row['train_s']:.2f}", f"{row['tokens_per_s']:,.0f}", f"{row['peak_mb']:.0f}"
        lines.append((row["data"], row["what"], row["contender"], *right, *cost))
    table = markdown_table(COLUMNS, lines)
    threads = [
        f"{row['what']} on {row['input']} {row['ratio']:.2f} times ({row['one_s']:.2f} s by one)"
        for row in result["threads"]
    ]
    served = [
        f"{row['input']}, {row['contender']}: "
        f"{row['tokens_per_s']:,.0f} tokens/s, {row['sentence_us']:.0f} us"
        for row in result.get("serving", ())  # results of earlier versions have none
    ]
    about = (
        "The same string features of the same sentences; CPU seconds, peak memory of a process of its own, "
        f"settings chosen on development sentences. {result['machine']['cpu']}. File: `bench-library.json`. "
        f"Two threads against one, on the clock: {'; '.join(threads)}. "
        + (f"Texts made anew, in one call and a sentence a call: {'; '.join(served)}. " if served else "")
        + "Repeat it with `python -m spcviz bench library`."
    )
    return "\n\n".join(["## Taggers beside CRFsuite", about, table])


def as_text(result: dict) -> str:
    """The table for a terminal."""
    head = f"{'what':20} {'contender':16} {'tokens':>8} {'sentences':>9}"
    lines = [f"{head} {'train s':>8} {'tokens/s':>9} {'MB':>6}"]
    for i, row in enumerate(result["rows"]):
        if i == 0 or row["data"] != result["rows"][i - 1]["data"]:
            lines.append(row["data"])
        right = f"{100 * row['tokens_right']:8.2f} {100 * row['sentences_right']:9.2f}"
        cost = f"{row['train_s']:8.2f} {row['tokens_per_s']:9.0f} {row['peak_mb']:6.0f}"
        lines.append(f"{row['what']:20} {row['contender']:16} {right} {cost}  {row['setting']}")
    for row in result["threads"]:
        lines.append(f"two threads: {row['what']} on {row['input']} {row['ratio']:.2f} times as fast as one")
    lines += serving.as_lines(result.get("serving", []))
    if result["absent"]:
        lines.append("not installed: python-crfsuite (python -m pip install -r tests/requirements-bench.txt)")
    return "\n".join(lines)
