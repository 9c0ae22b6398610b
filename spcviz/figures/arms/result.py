"""What is shown of dms-pose (thesis Fig. 6.2 to 6.4) and policy-pose (Table 7.1, Fig. 7.2)."""

from spcviz.figures.arms import charts, evidence, tables, text
from spcviz.figures.common.blocks import Charts, Heading, Headline, Note, Shown, Table, Text, bullets, chart
from spcviz.figures.common.results import chosen_on


def _dms(result, features, look):
    blocks = []
    for clips in charts.clips_of(result):
        blocks += [
            Heading(charts.CLIPS.get(clips, clips), in_report=False),
            _both_joints(charts.speedup_figure, result, look, f"speed_{clips}", clips=clips),
            chart(charts.stopping_figure, result, look, f"stops_{clips}", clips=clips),
            _both_joints(charts.accuracy_figure, result, look, f"within_{clips}", clips=clips),
        ]
    return [
        *blocks,
        *_findings(result, evidence.dms(result)),
        Heading("What the selector predicts"),
        Table(tables.values_frame(result), "dms-pose-values"),
        Table(tables.curves_frame(result), "dms-pose", in_report=False),
        Note(text.NOTE),
        Text(f"{chosen_on(result)} {evidence.DMS_CAVEAT}".strip(), on_page=False),
    ]


def _policy(result, features, look):
    blocks = []
    for clips in charts.clips_of(result):
        blocks += [
            Heading(charts.CLIPS.get(clips, clips), in_report=False),
            _both_joints(charts.time_figure, result, look, f"time_{clips}", clips=clips),
        ]
    return [
        *blocks,
        *_findings(result, evidence.policy(result)),
        Heading("Table 7.1"),
        Table(tables.improvement_frame(result), "policy-pose-improvement", on_page=False),
        Table(tables.table_frame(result), "policy-pose"),
        Heading("All curves"),
        Table(tables.curves_frame(result), "policy-pose-curves", in_report=False),
        Note(text.NOTE),
        Text(f"{chosen_on(result)} {evidence.POLICY_CAVEAT}".strip(), on_page=False),
    ]


def _findings(result, evidence_said):
    """Sentences, and who is better than whom."""
    return [
        Text(bullets(text.sentences(result))),
        Text(bullets([*evidence_said, *evidence.tiers(result)]), on_page=False),
        Heading("Who is better, at equal milliseconds"),
        Table(tables.gaps_frame(result), f"{result['name']}-gaps"),
    ]


def _both_joints(draw, result, look, key, **more):
    """A chart of elbows beside one of wrists."""
    return Charts(
        tuple(chart(draw, result, look, f"{key}_{joint}", joint=joint, **more) for joint in charts.JOINTS)
    )


def _dms_headline(result):
    return [Headline(*line) for line in evidence.dms_headline(result)]


def _policy_headline(result):
    return [Headline(*line) for line in evidence.policy_headline(result)]


DMS = Shown(charts.NEEDS, _dms, _dms_headline, evidence.dms_misses)
POLICY = Shown(charts.NEEDS, _policy, _policy_headline, evidence.policy_misses)
