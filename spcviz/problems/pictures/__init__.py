"""Joint beats separate: stereo pairs and noisy images labelled three ways (lecture 12)."""

from spcviz.registry.problem import Page, Problem

PROBLEM = Problem(
    name="pictures",
    title="Joint beats separate",
    pages=(
        Page("Learn", "pages/learn/joint_beats_separate.py", "Joint beats separate", ":material/visibility:"),
    ),
    data="spcviz.problems.pictures.data.pictures:DATA_SETS",
    scenes=("joint_beats_separate=spcviz.problems.pictures.page.scenes:joint_beats_separate",),
    warmup="spcviz.problems.pictures.page.live:warmup",
    family="graphs",
)
