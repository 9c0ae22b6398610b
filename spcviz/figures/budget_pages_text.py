"""Words that the two budget pages share."""

EXTRACTORS = {"library": "scikit-image", "fast": "fast batch code"}
"""Who computes the costly features: state of the page -> what a menu calls it."""

EXTRACTORS_HELP = (
    "The same edge directions (HoG) computed letter by letter by scikit-image, or for many letters at once "
    "by code of this project. The cheaper a feature, the less there is to save by choosing."
)

ORIGIN = (
    "Handwritten words of test fold 0, which no model here has seen. Features: pixels (free), HoG with cells "
    "of 3 pixels, HoG with cells of 2. Times: measured; features when the models were trained (python -m "
    "spcviz train budget), choosing and inference on this server, now. Weiss (2013), chapters 6 and 7; "
    "Bolukbasi et al. for one shot and anytime. Honest note: 55 different words, and a dictionary of them "
    "reads this data better than any method here."
)
