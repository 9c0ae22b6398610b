"""What is shown of scenes at any time (SpeedMachines, Tables 1 and 2, Figs. 2 and 4)."""

from spcviz.figures.common.blocks import Heading, Headline, Link, Note, Shown, Table, Text, bullets, chart
from spcviz.figures.common.results import chosen_on
from spcviz.figures.scene import charts, evidence
from spcviz.problems.scene.shown import CLASSES

DECIMALS = dict.fromkeys((*CLASSES, "class %", "pixel %", "ms", "modelled ms", "theta"), 1)


def _blocks(result, features, look):
    return [
        Heading("Accuracy against time (Fig. 2)", in_report=False),
        chart(charts.accuracy, result, look, "scene_pixel"),
        chart(charts.accuracy, result, look, "scene_class", measure="class_accuracy"),
        Text(bullets(evidence.sentences(result))),
        Heading("Recall of each class, % (Table 1)"),
        Table(charts.recall_frame(result), "scene-recall", DECIMALS),
        Heading("SIM at its end against the others, with 95 % intervals"),
        Table(charts.compared_frame(result), "scene-compared"),
        Heading("What each piece takes (Table 2)"),
        Table(charts.costs_frame(result["table_2"]), "scene-pieces", DECIMALS),
        Heading("What SIM bought (Fig. 4)", in_report=False),
        chart(charts.bought, result, look, "scene_bought"),
        Table(charts.steps_frame(result), "scene-steps", DECIMALS, in_report=False),
        Note(evidence.NOTE),
        Text(chosen_on(result), on_page=False),
        Link("pages/budget/scene.py", "One picture, live", ":material/landscape:"),
    ]


def _headline(result):
    return [Headline("Scenes at any time (CamVid)", evidence.PAPER, evidence.measured(result))]


TABLE = Shown(charts.NEEDS, _blocks, _headline, evidence.misses)


def _costs_blocks(result, features, look):
    return [
        Heading("What each piece takes, and what SIM is told (Table 2)"),
        Table(charts.costs_frame(result["rows"]), "scene-costs", DECIMALS),
        Note(evidence.COSTS_NOTE),
    ]


def _costs_headline(result):
    return [Headline("Scenes, what pieces take", evidence.PAPER_COSTS, evidence.costs(result))]


COSTS = Shown(("piece", "ms"), _costs_blocks, _costs_headline, lambda result: [])
