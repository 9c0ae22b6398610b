"""Claims about messages that stop early on long chains (thesis Fig. 7.3)."""

from spcviz.web.figures.claims import Claim

PAPER_Q = 0.5
LEVEL = "level 1e-09"
"""Exact but for rounding."""
_PRINTED, _FIGURE = f"printed {PAPER_Q:g}", "thesis Fig. 7.3"
_WHOLE, _UPDATE = "Messages that stop early, long chains", "Messages that stop early, long chains"


def _length(end):
    return lambda result: list(result["courses_summary"][_PRINTED]["times_faster"])[end]


def _times(end):
    return lambda result: result["courses_summary"][_PRINTED]["times_faster"][_length(end)(result)]


def _never(kind):
    """Tolerances at which stopping as printed never takes less time than an exact update."""
    return lambda result: sum(row["pays_from"] is None for row in _printed(result, kind))


def _printed(result, kind):
    return [row for name, row in result["summary"][kind].items() if name.startswith("printed")]


def _whole(end, what):
    return Claim(
        "quiescence", _WHOLE, f"all of DMS-π, times faster, {what}", _times(end), "rival", 1, decimals=2,
        shown="{} times", said="exact messages: {}; paper 1.5 on words", source=_FIGURE,
        note="Features and policy counted.",
    )  # fmt: skip


def _update(kind, name):
    path = "summary", kind
    return (
        Claim(
            "quiescence", _UPDATE, f"pays as printed, {name}", _never(kind), "holds",
            decimals=0, shown="never at {} of {} tolerances",
            beside=(lambda result: len(_printed(result, kind)),),
            said="the policy's time shrinks as q grows", source=_FIGURE,
            note="A letter that becomes surer moves all messages behind it by one constant that never dies.",
        ),
        Claim(
            "quiescence", _UPDATE, f"labels as printed, {name}",
            (*path, _PRINTED, "updates_with_wrong_labels"), "rival", 0, "lower", shown="{} % leave one wrong",
            said="exact update: {}", source=_FIGURE,
        ),
        Claim(
            "quiescence", _UPDATE, f"with level scores, {name}", (*path, LEVEL, "times_faster"), "new",
            decimals=0, shown="{} times faster at the longest, from {:.0f} positions on",
            beside=((*path, LEVEL, "pays_from"),), note="Level scores change no label and no margin.",
        ),
    )  # fmt: skip


CLAIMS = (
    _whole(0, "words"),
    _whole(-1, "the longest lines"),
    *(claim for kind, name in (("letters", "lines of words"), ("tags", "sentences"))
      for claim in _update(kind, name)),
)  # fmt: skip
