"""What is shown of pose-cascade (thesis Fig. 5.5c) and pose-ensemble (Fig. 5.5a, b)."""

from spcviz.figures.common.blocks import Heading, Headline, Note, Shown, Table, Text, chart
from spcviz.figures.pose import people, tables, tables_text


def _cascade(result, features, look):
    return [
        chart(tables.levels_figure, result, look),
        Text(tables.sentence(result)),
        Table(tables.levels_frame(result), "pose-cascade"),
        Text(tables_text.tuned(result), on_page=False),
        Heading("Other thresholds"),
        Table(tables.trade_frame(result), "pose-cascade-thresholds"),
        Heading("The best guess"),
        Table(tables.guesses_frame(result), "pose-cascade-guesses"),
        Note("The window of annotated crops knows where the person is; a jittered one only about."),
        Text(tables_text.lower_arms(result), on_page=False),
        Text(tables_text.weights(result), on_page=False),
        Text(tables_text.exact_cells(result), on_page=False),
        Text(tables_text.times(result), on_page=False),
        Text(tables_text.frames(result), on_page=False),
    ]


def _cascade_headline(result):
    rows = tables_text.compared(result)
    if not rows:
        return []
    at = " / ".join(tables_text.cells(row) for row in rows)
    paper, trend = [row["paper"] for row in rows], tables_text.top4_trend(result)
    kept = ": the tolerance cannot be kept" if tables_text.beyond(result) else ""
    return [
        Headline(
            f"{what} at {at} cells, %",
            " / ".join(f"{row[key]}" for row in paper) + " (other clips)",
            " / ".join(f"{row[key]:.1f}" for row in rows) + ending,
        )
        for what, key, ending in (
            ("Pose: states pruned, thresholds tuned", "efficiency", kept),
            (
                "Pose: limbs with one of the top 4 within 25 %",
                "oracle_pcp25_top4",
                ": does not fall with the level" if trend else "",
            ),
        )
    ]


CASCADE = Shown(tables.NEEDS, _cascade, _cascade_headline, tables_text.misses)


def _ensemble(result, features, look):
    return [
        Text(tables.ensemble_sentence(result)),
        Text(tables_text.learning(result)),
        Table(tables.ensemble_frame(result), "pose-ensemble"),
        Text(tables_text.reference(result)),
        Heading("Elbows by the person left out"),
        Table(tables.folds_frame(result), "pose-ensemble-persons"),
    ]


def _ensemble_headline(result):
    gains = [
        f"{row['elbow_gain_over_single']:+.1f} ± {row['elbow_gain_stderr']:.1f} "
        f"({row['clips']}{tables.TIES.get(row.get('ties', 'hand-set'), '')}): {tables.against_single(row)}"
        for row in result["rows"]
        if row["method"] == "ensemble" and row.get("elbow_gain_stderr") is not None
    ]
    paper = (result.get("paper") or {}).get("order", "–")
    what = "Pose over time: elbows nearer with the ensemble than with single frames, px"
    return [Headline(what, paper, "; ".join(gains))]


ENSEMBLE = Shown(tables.ENSEMBLE_NEEDS, _ensemble, _ensemble_headline, tables_text.ensemble_misses)


def _people(result, features, look):
    return [
        Text(people.sentence(result)),
        Table(people.frame(result), "pose-people"),
        Note(people.note(result)),
        Heading("Where it fails worst"),
        Table(people.failures_frame(result), "pose-people-failures"),
    ]


def _people_headline(result):
    what = "Pose on people never trained on: limbs right of the best guess against a mean pose, PCP 0.5 %"
    return [Headline(what, "–", people.compared(result))]


PEOPLE = Shown(people.NEEDS, _people, _people_headline, people.misses)
