"""Labels of budgets on words: names of examples, parts, tiers and methods."""

from spcviz.learning.budgets.methods import Terms, Tier

TERMS = Terms("word", "words", "letter", "letters")
TIERS = (
    Tier("pixels", "pixels only", "pixels"),
    Tier("HoG, cells of 3 pixels", "+ coarse edges (HoG, cells of 3 pixels)", "coarse"),
    Tier("HoG, cells of 2 pixels", "+ fine edges (HoG, cells of 2)", "fine"),
)
"""Tiers of a letter's features (thesis 6.3.1); pixels are free."""

OFFERED = ("dms", "fixed", "dms_pi", "greedy", "one_shot", "anytime", "myopic", "uniform")
"""Methods of the Trade-off page, in its order."""

TRACED = ("dms_pi", "uniform", "greedy", "one_shot", "anytime")
"""Methods that the Policy page puts side by side, the first next to chance."""
FIRST = {"dev": 122, "open": 20492, "ocr": 2038}
"""Words that the Policy page begins with, by `LOOKED_AT`: "entertainment", "microwave" and "eography",
misread from pixels and right after some purchases. The page opens with the first. It was chosen among the
development words on offer in which pixels alone misread three letters or more, and DMS-pi at the page's
tolerance reads every letter right from some point between a quarter and a half of all spending on: it is the
one in which the same random spending leaves the most letters wrong, on average over random orders. A test
repeats the choice.
"""

COST_HELP = (
    "Units: 1 lifts one letter by one tier, from pixels to coarse to fine edges. Measured: features, "
    "inference and the method itself."
)
VOCABULARIES = {"open": "open vocabulary", "ocr": "55 words"}
VOCABULARY_HELP = (
    "Open vocabulary: words composed from real letter images; no test word was ever seen in training. "
    "55 words: the handwritten data as given; a dictionary of its words reads it better than any method here."
)

LOOKED_AT = {"dev": "development"} | VOCABULARIES
"""Words of the Policy page."""
LOOKED_AT_HELP = (
    f"Development words: of the open vocabulary, set apart for choosing settings. {VOCABULARY_HELP}"
)
DEVELOPMENT = "Development words: set apart for choosing settings, of letters of fold 1. "
CHOSEN = (
    "This one was chosen because buying helps here: pixels alone misread several letters, DMS-π "
    "has all of them right, and as much random spending does not. It does not on every word. "
)
"""The note on the word that the Policy page opens with."""

ORIGIN = (
    "Open vocabulary: words of types that no model here has seen, composed from letters of test fold 0. "
    "55 words: handwritten words of test fold 0. Features: pixels (free), HoG with cells "
    "of 3 pixels, HoG with cells of 2. Times: measured; features when the models were trained (python -m "
    "spcviz train budget), choosing and inference on this server, now. Weiss (2013), chapters 6 and 7; "
    "Bolukbasi et al. for one shot and anytime. A plain dictionary beats every method on the 55 words; it "
    "cannot know the open-vocabulary words."
)
"""The origin of what the budget pages show."""

EXTRACTORS = {"library": "scikit-image", "fast": "fast batch code"}
"""Extractors of the costly features: state of the page -> name in the menu."""

EXTRACTORS_HELP = (
    "The same edge directions (HoG) computed letter by letter by scikit-image, or for many letters at once "
    "by code of this project. The cheaper a feature, the less there is to save by choosing."
)
