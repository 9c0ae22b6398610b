"""Upper-body pose, from coarse to fine, in pictures and over time (thesis 5.5.2)."""

from spcviz.registry.problem import Page, Problem, Result, ShippedModel, Training

PROBLEM = Problem(
    name="pose",
    title="Pose on video",
    pages=(
        Page(
            "The cascade",
            "pages/cascade/pose.py",
            "Pose on video",
            ":material/accessibility_new:",
            "Find a pose",
        ),
    ),
    data="spcviz.problems.pose.data.signs:DATA_SETS",
    trains=(
        Training("pose", "experiments.pose.reproduce:train"),
        Training("pose-clips", "spcviz.problems.pose.page.shelf:train"),
        Training("pose-finder", "spcviz.problems.pose.model.finder_train:train"),
    ),
    models=(
        ShippedModel("pose", "weights", ("pose_buffy", "pose_parse", "pose_lspet")),
        ShippedModel(
            "pose-finder",
            "weights, learned also from photographs of things that come with scikit-image and scikit-learn",
            ("pose_signs", "pose_buffy", "pose_lspet"),
        ),
    ),
    results=(
        Result(
            "pose-cascade",
            "Pose, level by level (Fig. 5.5c)",
            "experiments.pose.reproduce:reproduce_cascade",
            "spcviz.problems.pose.paper.result:CASCADE",
            models=("pose-buffy", "pose-hand-set", "pose-arms"),
            folds=3,
        ),
        Result(
            "pose-ensemble",
            "Pose over time (Fig. 5.5a, b)",
            "experiments.pose.ensemble:reproduce_ensemble",
            "spcviz.problems.pose.paper.result:ENSEMBLE",
            models=("pose-buffy",),
            folds=7,
        ),
        Result(
            "pose-rules",
            "Pose, threshold rules",
            "experiments.pose.rules:reproduce",
            "spcviz.problems.pose.paper.result:RULES",
            models=("pose-buffy",),
            folds=3,
        ),
        Result(
            "pose-people",
            "Does it work on people?",
            "experiments.pose.anyone:reproduce_people",
            "spcviz.problems.pose.paper.result:PEOPLE",
            models=("pose-buffy",),
            folds=9,
        ),
    ),
    scenes=("pose=spcviz.problems.pose.page.scenes:pose",),
    warmup="spcviz.problems.pose.page.trace:warmup",
    family="graphs",
)
