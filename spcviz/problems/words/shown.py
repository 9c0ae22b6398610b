"""What budgets on words are told in: terms, tiers of features, methods of the pages."""

from spcviz.learning.budgets.methods import Terms, Tier

TERMS = Terms("word", "words", "letter", "letters")
TIERS = (
    Tier("pixels", "pixels only", "pixels"),
    Tier("HoG, cells of 3 pixels", "+ coarse edges (HoG, cells of 3 pixels)", "coarse"),
    Tier("HoG, cells of 2 pixels", "+ fine edges (HoG, cells of 2)", "fine"),
)
"""Of a letter's features (thesis 6.3.1); pixels are free."""

OFFERED = ("dms", "fixed", "dms_pi", "greedy", "one_shot", "anytime", "myopic", "uniform")
"""Methods of the Trade-off page, in its order."""

TRACED = ("dms_pi", "greedy", "one_shot", "anytime")
"""Methods that the Policy page puts side by side."""
