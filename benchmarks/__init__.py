"""The benchmarks behind ``python -m spcviz bench NAME``: names of functions, none of them imported here."""

from typing import NamedTuple


class Bench(NamedTuple):
    """One benchmark."""

    about: str  # for the command's help
    # ``"module:function"``; the function takes the options as keywords, and ``tick``, which it calls with a
    # line of text at each step. It returns a result by `spcviz.shared.report.describe`, named
    # ``bench-`` and the name below.
    make: str
    text: str  # ``"module:function"`` that turns the result into the table for a terminal
    options: dict[str, dict]  # name of each option, without leading dashes -> keywords for `argparse`
    # ``"module:function"`` that turns the stored result into lines of README, between the marks ``<!-- bench
    # NAME -->`` and ``<!-- /bench NAME -->``; none if empty
    readme: str = ""
    # ``"module:function"`` that takes a new result and the stored one, and returns the result to store
    beside: str = ""
    evidence: str = ""  # ``"module:function"`` that turns the stored result into a section of the evidence


BENCHES = {
    "engine": Bench(
        "time the engine against numpy and installed peers, turn by turn",
        "benchmarks.engine:bench_engine",
        "benchmarks.engine:as_text",
        {"repeats": {"type": int, "default": 20, "help": "medians over so many turns (default: 20)"}},
        beside="benchmarks.engine:beside",
        evidence="benchmarks.engine:section",
    ),
    "app": Bench(
        "drive the app over its websocket as a class does (at most ten minutes)",
        "benchmarks.app.hall:bench_app",
        "benchmarks.app.words:as_text",
        {
            "scale": {"type": float, "default": 1.0, "help": "how many visitors (1: what the goals are for)"},
            "pages": {"metavar": "PATHS", "help": "letters,home: only these (default: all)"},
            "only": {
                "metavar": "PART",
                "help": "hostile: only a class beside hostile clients (three minutes); "
                "files: beside 200 hostile files, which no other run has (twenty minutes); "
                "course: with a task open and without, and 200 phones that solve one (five minutes); "
                "passing: beside 40 visitors who save loops and ask for cards at once (ten minutes)",
            },
            "port": {"type": int, "help": "of the server (default: a free one)"},
        },
        "benchmarks.app.words:for_readme",
    ),
    "library": Bench(
        "our taggers and CRFsuite on the same string features: accuracy, time, memory",
        "benchmarks.library:bench_library",
        "benchmarks.library:as_text",
        {
            "scale": {"type": float, "default": 1.0, "help": "share of the training sentences (default: 1)"},
            "repeats": {"type": int, "default": 3, "help": "medians over so many runs (default: 3)"},
        },
        evidence="benchmarks.library:section",
    ),
    "data": Bench(
        "the reach of the page Your data: 2,000 sentences with 45 tags read, trained on, drawn",
        "benchmarks.data:bench_data",
        "benchmarks.data:as_text",
        {"scale": {"type": float, "default": 1.0, "help": "share of the sentences (default: 1)"}},
    ),
    "robust": Bench(
        "count faults: enumeration, lattices, arguments, budgets, damaged models, kills, uploads, hostile",
        "benchmarks.robust:bench_robust",
        "benchmarks.robust:as_text",
        {
            "scale": {"type": float, "default": 1.0, "help": "how many cases (1: full strength, an hour)"},
            "only": {"metavar": "GROUPS", "help": "enumeration,uploads: only these (default: all)"},
        },
    ),
    "envelope": Bench(
        "how far EnvelopeTagger is from the best fixed tier of the same cost, on draws of development data",
        "benchmarks.envelope:bench_envelope",
        "benchmarks.envelope:as_text",
        {
            "task": {"metavar": "TASKS", "help": "tags,chunks: only these (default: all)"},
            "draws": {"type": int, "default": 5, "help": "so many of each task (default: 5)"},
        },
    ),
}
