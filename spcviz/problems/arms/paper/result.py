"""How Paper tables shows dms-pose (thesis Fig. 6.2 to 6.4) and policy-pose (Table 7.1, Fig. 7.2)."""

from spcviz.problems.arms.paper import charts
from spcviz.web.figures.stored_results import Charts, Heading, Shown, Table, chart, chosen_on, data_of

NOTE = (
    "An elbow or wrist is wrong if it is more than 20 pixels off. Times are milliseconds of one frame of one "
    "arm, detectors and proposals counted: they are the first tier, which everybody pays (in the thesis it "
    "is free). What both arms of a picture share is paid half by each. Standard "
    "errors are over clips. The thesis measured real films (CLIC). Signing clips are real; what they are "
    "measured against is a reference by a neural network, not annotation by people. Rendered clips have "
    "exact truth. Orderings can be compared with the thesis, not levels."
)
SPANS_NOTE = (
    "Spans are frames of an arm in a row, as equal as can be, that one purchase lifts. Their value is the "
    "sum of their frames' values, and policies of all lengths learn with the same draws and tries. “With "
    "detectors” is the clock of who runs it, “without” the thesis'."
)
_PICKED = (
    "Tiers and their order were chosen by errors of plain models on signing persons left out of training: "
    "flow at a third and at half of the resolution, without the thesis' colour and superpixels (without one "
    "person superpixels would have stayed in). A first ladder began with detectors at half the resolution; "
    "on tested clips its last tier had more joints wrong than before, so detectors are whole again, asked "
    "only where arms are searched. Errors may be a little too low; comparisons at equal time are not touched "
    "by it. Signs of whether readings of two tiers disagree, and of how sharp pictures are, did not help a "
    "selector there and were left out. Predictions are not smoothed before the selector."
)


def _dms(result, features, look):
    def draw(clips):
        return [
            _both_joints(charts.speedup_figure, result, look, f"speed_{clips}", clips=clips),
            chart(charts.stopping_figure, result, look, f"stops_{clips}", clips=clips),
            _both_joints(charts.accuracy_figure, result, look, f"within_{clips}", clips=clips),
        ]

    return [
        *_by_clips(result, draw),
        Heading("What the selector predicts"),
        Table(charts.values_frame(result), "dms-pose-values"),
        Heading("All curves"),
        Table(charts.curves_frame(result), "dms-pose"),
    ]


def _policy(result, features, look):
    def draw(clips):
        return [_both_joints(charts.time_figure, result, look, f"time_{clips}", clips=clips)]

    return [
        *_by_clips(result, draw),
        Heading("Table 7.1"),
        Table(charts.table_frame(result), "policy-pose"),
        *_lengths(result),
        Heading("All curves"),
        Table(charts.curves_frame(result), "policy-pose-curves"),
    ]


def _lengths(result):
    frame = charts.lengths_frame(result)
    heading = "Frames, spans and whole arms, at equal milliseconds: more than nothing is better"
    return [] if frame.empty else [Heading(heading), Table(frame, "policy-pose-lengths")]


def _by_clips(result, draw):
    """Charts of each set of clips, and which method is better than which."""
    names = data_of(result)
    blocks = [block for clips in names for block in (Heading(charts.CLIPS.get(clips, clips)), *draw(clips))]
    gaps = Table(charts.gaps_frame(result), f"{result['name']}-gaps")
    return [*blocks, Heading("One against another, at equal milliseconds: less than nothing is better"), gaps]


def _both_joints(draw, result, look, key, **more):
    return Charts(
        tuple(chart(draw, result, look, f"{key}_{joint}", joint=joint, **more) for joint in charts.JOINTS)
    )


def _notes(result):
    return [NOTE, *_clips(result), *chosen_on(result), _PICKED]


def _spans(result):
    """How spans were made and which were chosen, and how far intervals over persons can be trusted."""
    out = []
    for clips, summary in (result.get("summary") or {}).items():
        if "span_lengths" not in summary:
            continue
        out = out or [SPANS_NOTE]
        name, most = charts.SHORT.get(clips, clips), 1 + summary["full_ms"] / summary["base_ms"]
        chosen = charts.lengths_chosen(summary["span_lengths"])
        out.append(
            f"{name}: training clips chose {chosen}; detectors alone are {most:.1f} times faster than all."
        )
        if people := summary["people"]:
            out.append(
                f"{people['n']} persons: two standard errors over so few hold the truth in "
                f"{people['two_stderr_hold']:.0f} % of cases, not in 95 (Student's t)."
            )
    return out


def _clips(result):
    """How many clips there are of each kind, and how they were split."""
    return [
        f"{charts.SHORT.get(clips, clips)}: {about['splits']} splits ({about['how']}) of "
        f"{about['n_clips']} clips, {about['n_frames']} frames of an arm, "
        f"{about['frames_known']:.1f} % of them with a reference."
        for clips, about in (result.get("settings", {}).get("data") or {}).items()
    ]


DMS = Shown(charts.NEEDS, _dms, _notes)
POLICY = Shown(charts.NEEDS, _policy, lambda result: [*_notes(result), *_spans(result)])
