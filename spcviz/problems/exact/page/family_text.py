"""What the Exact inference page says of the losses from CRF to SVM."""

import numpy as np

from spcviz.problems.exact.page.charts import letter, written
from spcviz.problems.exact.page.text import HELP
from spcviz.web.figures.numbers import count


def losses(run, at, cost, length):
    """Label, value, note, help of the counters beside the family of losses."""
    shared = HELP["shared"].format(count=count(26**length))
    epsilon = f"at ε = {run.epsilons[at]:.2f}"
    return [
        ("Loss", f"{run.value[cost, at]:.2f}", epsilon, HELP["loss"]),
        ("Readings to blame", f"{run.n_readings[cost, at]:.1f}", epsilon, shared),
        ("CRF: log-loss", f"{run.value[0, 0]:.2f}", "ε = 1, no cost", HELP["log_loss"]),
        ("SVM: hinge", f"{run.value[1, -1]:.2f}", "ε = 0, cost 1", HELP["hinge"]),
    ]


def family(problem, run, at, cost):
    """What the loss asks for at one epsilon, in words."""
    epsilon, value = run.epsilons[at], run.value[cost, at]
    truth = written(problem)
    rival = "".join(letter(k) for k in run.weights[cost, at].argmax(axis=1))
    ends = ("the CRF's log-loss", "softmax-margin", "the CRF's log-loss")
    ends = ends if epsilon == 1 else ("the perceptron", "the SVM's hinge", "the SVM's hinge")
    alias = f", {ends[cost]}" if epsilon in (0, 1) else ""
    best = "best" if epsilon == 0 else "soft maximum"
    sentence = (
        f"**ε = {epsilon:.2f}{alias}.** The loss is the {best} of score + cost over all readings, less the "
        f"score of “**{truth}**”: **{value:.2f}**. "
    )
    if epsilon == 1 and cost != 1:
        sentence += f"The model gives what was written a probability of {np.exp(-value):.1%}. "
    if epsilon > 0:
        shared = f"{run.n_readings[cost, at]:.1f}"
        sentence += f"About **{shared}** of {26 ** len(truth):,} readings share the blame (bars). "
    elif rival == truth:
        lead = "every other reading by its wrong letters" if cost else "every other reading"
        sentence += f"What was written leads {lead}: nothing is left to learn here. "
    else:
        sentence += f"One single reading is pushed down: “**{rival}**”. "
    return sentence
