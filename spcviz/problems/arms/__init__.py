"""The problem `arms`: arm poses in video, with features bought under a budget (thesis 6.3.2 and 7.4.1)."""

from spcviz.registry.problem import Problem, Result, ShippedModel, Training

_TRAIN, _MAKE = "experiments.arms.reproduce:train", "experiments.arms.reproduce:result"
PROBLEM = Problem(
    name="arms",
    title="Budgets on arms",
    trains=(Training("budget", _TRAIN), Training("budget-pose", _TRAIN)),
    models=(
        ShippedModel(
            "budget-pose",
            "weights, policies and scores of rendered clips, on what pose-arms detects",
            ("pose_buffy", "pose_parse", "pose_lspet"),
        ),
    ),
    results=(
        Result(
            "dms-pose",
            "Pose, choosing models (Fig. 6.2 to 6.4)",
            _MAKE,
            "spcviz.problems.arms.paper.result:DMS",
            in_parts=True,
            models=("pose-arms",),
            folds=15,
        ),
        Result(
            "policy-pose",
            "Pose, DMS-π frame by frame (Table 7.1, Fig. 7.2)",
            _MAKE,
            "spcviz.problems.arms.paper.result:POLICY",
            in_parts=True,
            models=("pose-arms",),
            folds=5,
        ),
    ),
    scenes=("arms=spcviz.problems.arms.page.scenes:arms",),
    warmup="spcviz.problems.arms.page.live:warmup",
    serves=("words", "pose"),
)
