"""Words that the two budget pages share."""

EXTRACTORS = {"library": "scikit-image", "fast": "fast batch code"}
"""Who computes the costly features: state of the page -> what a menu calls it."""

EXTRACTORS_HELP = (
    "The same edge directions (HoG) computed letter by letter by scikit-image, or for many letters at once "
    "by code of this project. The cheaper a feature, the less there is to save by choosing."
)

TRADE_OFF = (
    "#### Trade-off: spend a budget where it helps\n"
    "Looking closer costs time. Everything is first read from what is free or cheap (a word's **pixels**, an "
    "arm's **moving joints**, a street's **texture**); then a method may buy costlier features for some "
    "words or letters, some arms or frames, some pictures. Move the budget."
)
TASK_HELP = (
    "Words: which letters are worth a closer look? Arms on video: which frames are worth colours, regions "
    "and motion? Sentences: which words? Street pictures: which pictures?"
)
