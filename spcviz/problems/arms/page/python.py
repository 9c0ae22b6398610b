"""The Python of the page Trade-off, of arms on video: lines that draw the batch that is shown."""

BATCH = """from spcviz.problems.arms.model import stored
from spcviz.problems.arms.page import batch as arms
from spcviz.problems.arms.page import live

model = stored.load(MODELS)
batch = live.compare(model, arms.draw(model, {clips}, {seed}), {seed})"""
