"""State of the Policy page, as its address holds it."""

from spcviz.web.ui.state import StateTable, choice, flag, real, whole

POLICY = StateTable(
    choice("vocabulary", "dev", ("open", "ocr", "dev")),
    whole("word", -1, 0, 10_000_000),
    real("spend", 0.0, 0.0, 1.0),
    real("q", 0.25, 0.0, 0.9),
    choice("kind", "units", ("units", "us")),
    choice("extractor", "library", ("library", "fast")),
    choice("panels", "all", ("all", "three")),
    flag("controls", True),
    opening={"spend": 0.308, "panels": "three"},
)
"""The Policy page; word -1 is the page's own first choice, `q` the tolerance of quiescent inference,
`panels` how many policies are drawn."""
