"""How Paper tables shows scenes at any time (SpeedMachines, Tables 1 and 2, Figs. 2 and 4)."""

from spcviz.problems.scene.paper import charts, shared_budget
from spcviz.problems.scene.shown import CLASSES
from spcviz.web.figures.blocks import Heading, Link, Shown, Table, chart
from spcviz.web.figures.results import chosen_on

DECIMALS = dict.fromkeys((*CLASSES, "class %", "pixel %", "ms", "modelled ms", "theta"), 1)
COSTS_NOTE = (
    "CPU milliseconds of one thread, fastest of several runs. B: descriptors, once; D: codes of all centres, "
    "pooled over all levels. SIM learns with these prices."
)
NOTE = (
    "All test pictures, from the pixels on, one thread. SIM's intermediate rows are one predictor stopped "
    "early; HIM's variants are predictors of their own. HIM answers with the geometric mean of its "
    "predictors, the paper's with the last, and each of ours is boosted trees and a forest together. All "
    "learn from all training pictures and as many mirrored copies in another light. SIM pays for a "
    "centre, for a group's descriptors and, unlike the paper's, for every call that computes new "
    "centres of a group. Intervals draw blocks of successive pictures."
)


def _blocks(result, features, look):
    return [
        Heading("Accuracy against time (Fig. 2)"),
        chart(charts.accuracy, result, look, "scene_pixel"),
        chart(charts.accuracy, result, look, "scene_class", measure="class_accuracy"),
        Heading("Recall of each class, % (Table 1)"),
        Table(charts.recall_frame(result), "scene-recall", DECIMALS),
        Heading("SIM at its end against the others, with 95 % intervals"),
        Table(charts.compared_frame(result), "scene-compared"),
        Heading("What each piece takes (Table 2)"),
        Table(charts.costs_frame(result["table_2"]), "scene-pieces", DECIMALS),
        Heading("What SIM bought (Fig. 4)"),
        chart(charts.draw_purchases, result, look, "scene_bought"),
        Table(charts.steps_frame(result), "scene-steps", DECIMALS),
        Link("pages/budget/scene.py", "One picture, live", ":material/landscape:"),
    ]


def _notes(result):
    return [NOTE, *chosen_on(result)]


TABLE = Shown(charts.NEEDS, _blocks, _notes)


def _costs_blocks(result, features, look):
    return [
        Heading("What each piece takes, and the costs that SIM learns with (Table 2)"),
        Table(charts.costs_frame(result["rows"]), "scene-costs", DECIMALS),
    ]


COSTS = Shown(("piece", "ms"), _costs_blocks, lambda result: [COSTS_NOTE])
SHARED = Shown(
    shared_budget.SHARED_NEEDS, shared_budget.shared_blocks, lambda result: [shared_budget.SHARED_NOTE]
)
