"""Views of Your data about a model's quality: scores, weights, runs compared, a tagged sentence drawn."""

from base64 import b64encode
from collections.abc import Sequence
from functools import partial
from html import escape
from typing import NamedTuple

import streamlit as st

from spcviz.io.spans import words_in
from spcviz.problems.own_data.controls.state import ANEW, TABLE, settings_of
from spcviz.problems.own_data.model import evaluation
from spcviz.problems.own_data.model.evaluation import chunks_of
from spcviz.problems.own_data.page import answers, cached, live, shelf
from spcviz.problems.own_data.page import text as say
from spcviz.scores.schemes import form_of
from spcviz.shared.verdict.filter_verdict import describe_verdict

MOST_WORDS = 200
"""Most words of a typed sentence that are read."""

WIDTH = 900
_SIZE, _SMALL, _GAP, _LINE, _MARGIN = 18, 12, 8, 62, 16
_FILLS = ("#cfe3f7", "#fbe0b8", "#d5ecc8", "#f6d0d7", "#e2d6f2", "#cdeeea", "#f2e6a6", "#e6dcd2")
"""Pale enough for black letters on them, and distinguished by labels too."""
_WRONG = "#b3261e"


def judge(source, state: dict) -> answers.Judged:
    """How good the source's answers are."""
    brought, is_trained = source.own.brought, source.scored is None and not source.is_brought
    key = ("judged", source.key, settings_of(state) if is_trained else None)

    def make():
        gold = [[None if label == cached.UNKNOWN else label for label in row] for row in brought.labels]
        return answers.judge(
            source.report, brought.sentences, gold, settings_of(state), is_trained=is_trained
        )

    return source.own.once(key, make)


def verdict(source, state: dict) -> None:
    """The verdict that the page opens with; above other views its beginning, and the rest in an expander."""
    if not source.has_gold:
        return
    tolerance = state["tol"] / 100
    choices = source.compare(tolerance)[1]
    times = source.times() if source.model else None
    timed = answers.BEFORE if source.is_stored else answers.HERE
    of = answers.verdict_of(source.report, tolerance, choices, times, timed)
    with st.container(border=True):
        if state["view"] == "lattice":
            st.markdown(describe_verdict(of))
            st.markdown(say.describe_answers(judge(source, state)))
            return
        first, promised = describe_verdict(of).split("\n\n", 1)
        st.markdown(first)
        with st.expander(say.MORE_OF_VERDICT):
            st.markdown(promised)
            if state["view"] != "scores":  # which begins with it
                st.markdown(say.describe_answers(judge(source, state)))


def scores(source, state: dict) -> None:
    """Precision, recall and F1, by kind and by label, compared with the most frequent tag."""
    result = judge(source, state)
    st.markdown(say.describe_answers(result))
    whole, *kinds = result.scores
    usual = {score.kind: score for score in result.baseline}
    rows = [whole, *sorted(kinds, key=lambda score: -score.n_gold)]
    table = {
        say.KIND: [score.kind or say.ALL for score in rows],
        "precision %": [round(100 * score.precision, 2) for score in rows],
        "recall %": [round(100 * score.recall, 2) for score in rows],
        "F1 %": [round(100 * score.f1, 2) for score in rows],
        "F1, 95 %": [say.span(score.low, score.high) for score in rows],
        "gold": [score.n_gold for score in rows],
        "answered": [score.n_answered for score in rows],
    }
    if usual:
        table["F1 % of the most frequent tag"] = [
            round(100 * usual[score.kind].f1, 2) if score.kind in usual else None for score in rows
        ]
    st.dataframe(table, hide_index=True, height=min(35 * (len(rows) + 1) + 3, 480))
    st.caption(say.SCORES)
    with st.expander("Every label"):
        each = evaluation.scores_of(evaluation.counts_of(*map(_spread, (result.gold, result.said))))[1:]
        st.dataframe(
            {
                "label": [score.kind for score in each],
                "precision %": [round(100 * score.precision, 2) for score in each],
                "recall %": [round(100 * score.recall, 2) for score in each],
                "F1 %": [round(100 * score.f1, 2) for score in each],
                "gold": [score.n_gold for score in each],
                "answered": [score.n_answered for score in each],
                "right": [score.n_right for score in each],
            },
            hide_index=True,
        )


def _spread(rows: list[list[str | None]]) -> list[list[str | None]]:
    """Labels to be counted one by one: an added character that no scheme has keeps them from being chunks."""
    return [[None if label is None else f"{label}\u200b" for label in row] for row in rows]


def own_sentence(source, state: dict) -> None:
    """A sentence that a visitor types, read by the source's model."""
    if not source.model:
        st.info(say.NO_MODEL)
        return
    typed = st.text_input(say.TYPE, key="data_own", max_chars=1000, placeholder=say.TYPE_LIKE)
    if not typed.strip():
        return
    words = words_in(typed)[:MOST_WORDS]
    report = source.report
    key = ("reader", source.key)
    alphas = tuple(level.tuned_alpha for level in report.levels)
    reader = source.own.once(key, lambda: live.reader_in(source.model, alphas))
    labels = live.read(reader, words)
    picture(words, labels, (), "your_sentence", say.own(words, labels))


def labels_of(source, number: int) -> list[str]:
    """The labels that the model gives to a held-out sentence."""
    at = source.sentences()[0].tolist().index(number)
    return answers.answers_of(source.report)[at]


def picture(words, labels, gold, name: str, title: str) -> None:
    """A tagged sentence as running text, and its SVG to download."""
    svg = svg_of(pieces_of(words, labels, gold), title)
    # Not st.image: it checks whether a text is an address, and Python's urlsplit caches its argument.
    image = b64encode(svg.encode()).decode()
    st.html(f'<img alt="{escape(title)}" src="data:image/svg+xml;base64,{image}" style="max-width:100%">')
    st.download_button("SVG", svg, f"{name}.svg", "image/svg+xml", icon=":material/download:",
                       key=f"data_svg_{name}", on_click="ignore")  # fmt: skip


def weights(source, state: dict) -> None:
    """What the model has learned: features for and against a label, and weights of transitions."""
    if not source.model:
        st.info(say.NO_MODEL)
        return
    report = source.report
    alphas = tuple(level.tuned_alpha for level in report.levels)
    reader = source.own.once(("reader", source.key), lambda: live.reader_in(source.model, alphas))
    label = st.selectbox("Label", list(reader.labels), key="data_weights_label", width=200)
    left, right = st.columns(2)
    for column, title, rows in zip((left, right), say.WEIGHTS, answers.top_features(reader, label)):
        column.caption(title)
        column.dataframe(
            {"feature": [row.feature for row in rows], "weight": [round(row.weight, 3) for row in rows]},
            hide_index=True,
        )
    names, table = answers.step_weights(reader)
    st.caption(say.STEPS_TABLE)
    held = {"from": list(names)} | {
        f"{name}\u200b": table[:, k].round(2).tolist() for k, name in enumerate(names)
    }
    st.dataframe(held, hide_index=True)


def show_run(run: shelf.TrainingRun) -> None:
    """Show a run's model: write its settings to the address."""
    asked = run.settings
    of = asked._asdict() | {"tol": 100 * asked.tolerance}
    TABLE.write(
        **{key: of[key] for key in ("method", "order", "template", "held", "seed", "tol", "passes")}, **ANEW
    )


def all_runs(source, state: dict) -> None:
    """Every training run of this visit, and two of them compared."""
    held = shelf.runs_of(source.own)
    if not held:
        st.info(say.NO_RUNS)
        return
    brought = source.own.brought
    made = {
        run.number: source.own.once(
            ("judged", run.key, run.settings),
            partial(
                answers.judge,
                run.trained.report,
                brought.sentences,
                brought.labels,
                run.settings,
                is_trained=True,
            ),
        )
        for run in held
    }
    table = {
        "run": [run.number for run in held],
        "model": [cached.METHODS[run.settings.method] for run in held],
        "tokens right %": [round(100 * made[run.number].right[0], 2) for run in held],
        "F1 %": [round(100 * made[run.number].scores[0].f1, 2) for run in held],
        "order": [run.settings.order for run in held],
        "passes": [run.settings.passes for run in held],
        "held out %": [run.settings.held for run in held],
        "seed": [run.settings.seed for run in held],
        "tolerance %": [round(100 * run.settings.tolerance, 3) for run in held],
        "sentences": [run.trained.report.n_train for run in held],
        "features": [run.trained.report.n_features for run in held],
        "CPU s": [round(run.trained.report.cpu_seconds, 1) for run in held],
        "template": [run.settings.template for run in held],
    }
    st.caption(say.RUNS)
    shown = st.dataframe(
        table, key="data_runs", on_select="rerun", selection_mode="multi-row", hide_index=True
    )
    chosen = [held[row] for row in shown["selection"]["rows"] if row < len(held)]
    if len(chosen) == 1:
        st.button("Look at this run", on_click=show_run, args=(chosen[0],))
    if len(chosen) == 2:
        compare(chosen, made, source)


def compare(chosen: list[shelf.TrainingRun], made: dict[int, answers.Judged], source) -> None:
    """Two runs on the same held-out sentences: a paired test, and the sentences on which they differ."""
    first, second = chosen
    if not shelf.are_comparable(first, second):
        st.info(say.OTHER_SENTENCES)
        return
    one, other = made[first.number], made[second.number]
    key = ("paired", first.number, first.key, second.number, second.key)
    tests = source.own.once(key, lambda: evaluation.compare(one.gold, one.said, other.said))
    for test in tests:
        st.markdown(say.describe_difference(first.number, second.number, test))
    gaps = evaluation.differences(one.gold, one.said, other.said)
    rows = sorted(
        (b - a, int(n), at) for at, ((a, b), n) in enumerate(zip(gaps, one.numbers.tolist())) if a != b
    )
    st.dataframe(
        {
            f"more right in run {second.number}": [gap for gap, _, _ in rows],
            "number": [n + 1 for _, n, _ in rows],
            "sentence": [" ".join(source.own.brought.sentences[n])[:300] for _, n, _ in rows],
            "gold": [" ".join(one.gold[at]) for _, _, at in rows],
            f"run {first.number}": [" ".join(one.said[at]) for _, _, at in rows],
            f"run {second.number}": [" ".join(other.said[at]) for _, _, at in rows],
        },
        hide_index=True,
        height=min(35 * (len(rows) + 1) + 3, 420),
    )


class Piece(NamedTuple):
    """Consecutive words, their label ("" outside), and whether that is wrong."""

    words: tuple[str, ...]
    label: str
    is_wrong: bool = False


def pieces_of(words: Sequence[str], labels: Sequence[str], gold: Sequence[str] = ()) -> list[Piece]:
    """A sentence in pieces: chunks, or single words; one is wrong if the gold labels of its words differ.

    >>> [piece[:2] for piece in pieces_of(["Ada", "Lovelace", "wrote"], ["B-PER", "I-PER", "O"])]
    [(('Ada', 'Lovelace'), 'PER'), (('wrote',), '')]
    """
    form = form_of(set(labels))
    wrong = [bool(len(gold)) and label != truth for label, truth in zip(labels, gold or labels)]
    if not form and set(labels) <= {"O", ""}:
        return [Piece((word,), "", bad) for word, bad in zip(words, wrong)]
    if not form:
        return [Piece((word,), label, bad) for word, label, bad in zip(words, labels, wrong)]
    spans = {first: (end, kind) for kind, first, end in chunks_of(labels, form)}
    pieces, at = [], 0
    while at < len(words):
        end, kind = spans.get(at, (at + 1, ""))
        label = (kind or "chunk") if at in spans else ""
        pieces.append(Piece(tuple(words[at:end]), label, any(wrong[at:end])))
        at = end
    return pieces


def svg_of(pieces: Sequence[Piece], title: str = "") -> str:
    """A picture of pieces in lines, `WIDTH` wide, with a title for those who cannot see it."""
    kinds = {
        label: k for k, label in enumerate(dict.fromkeys(piece.label for piece in pieces if piece.label))
    }
    x, y, out = _MARGIN, _MARGIN, []
    for piece in pieces:
        text = " ".join(piece.words)
        wide = max(_wide(text, _SIZE), _wide(piece.label, _SMALL)) + (14 if piece.label else 2)
        wide = min(wide, WIDTH - 2 * _MARGIN)
        if x + wide > WIDTH - _MARGIN:
            x, y = _MARGIN, y + _LINE
        out.append(_draw_piece(piece, text, x, y, wide, _FILLS[kinds.get(piece.label, 0) % len(_FILLS)]))
        x += wide + _GAP
    height = y + _LINE + _MARGIN
    size = f'viewBox="0 0 {WIDTH} {height}" width="{WIDTH}" height="{height}"'
    ground = f'<rect width="{WIDTH}" height="{height}" fill="white"/>'
    inside = f"<title>{_safe(title)}</title>{ground}{''.join(out)}"
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" {size} role="img" font-family="sans-serif">{inside}</svg>'
    )


def _draw_piece(piece: Piece, text: str, x: float, y: float, wide: float, fill: str) -> str:
    middle = x + wide / 2
    word = _text(text, middle, y + 24, _SIZE, "#111", wide - 4)
    if not piece.label and not piece.is_wrong:
        return word
    edge = f' stroke="{_WRONG}" stroke-width="2" stroke-dasharray="4 3"' if piece.is_wrong else ""
    ground = fill if piece.label else "none"
    place = f'x="{x:.1f}" y="{y}" width="{wide:.1f}" height="50"'
    box = f'<rect {place} rx="6" fill="{ground}"{edge}/>'
    said = f"✘ {piece.label or 'O'}" if piece.is_wrong else piece.label
    return box + word + _text(said, middle, y + 43, _SMALL, _WRONG if piece.is_wrong else "#333", wide - 4)


def _text(text: str, x: float, y: float, size: int, fill: str, most: float) -> str:
    fit = f' textLength="{most:.0f}" lengthAdjust="spacingAndGlyphs"' if _wide(text, size) > most > 0 else ""
    place = f'x="{x:.1f}" y="{y}" font-size="{size}" text-anchor="middle"'
    return f'<text {place} fill="{fill}"{fit}>{_safe(text)}</text>'


def _wide(text: str, size: int) -> float:
    """The approximate width of a text: East Asian characters are as wide as tall."""
    return size * sum(1.0 if ord(sign) > 0x2E80 else 0.58 for sign in text)


def _safe(text: str) -> str:
    """A text escaped for XML, with unprintable characters replaced."""
    return escape("".join(sign if sign.isprintable() else "�" for sign in text))
