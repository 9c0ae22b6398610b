"""Street scenes labelled at any time: StructuredSpeedBoost (SpeedMachines)."""

from spcviz.registry.problem import Page, Problem, Result, ShippedModel, Training

PROBLEM = Problem(
    name="scene",
    title="Scenes at any time",
    pages=(
        Page(
            "Budgets", "pages/budget/scene.py", "Scenes at any time", ":material/landscape:", "Label a street"
        ),
    ),
    data="spcviz.problems.scene.data.camvid:DATA_SETS",
    trains=(Training("scene", "experiments.scene.reproduce:train_all"),),
    models=(ShippedModel("scene", "weights", ("scene_camvid",)),),
    results=(
        Result(
            "scene",
            "Scenes, labels against time (Tables 1, 2, Figs. 2, 4)",
            "experiments.scene.reproduce:reproduce_scene",
            "spcviz.problems.scene.paper.result:TABLE",
            models=(),
        ),
        Result(
            "scene-costs",
            "Scenes, what each piece takes (Table 2)",
            "experiments.scene.costs:reproduce",
            "spcviz.problems.scene.paper.result:COSTS",
        ),
        Result(
            "dms-scene",
            "Street pictures under one budget (DMS)",
            "experiments.scene.trade_tables:reproduce",
            "spcviz.problems.scene.paper.result:SHARED",
            models=(),
        ),
    ),
    scenes=("scene=spcviz.problems.scene.page.scenes:scene",),
    warmup="spcviz.problems.scene.page.live:warmup",
    family="graphs",
)
