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

TRADE_OFF = (
    "#### Trade-off: spend a budget where it helps\n"
    "Looking closer costs time. Everything is first read from what is free (the **pixels** of a word, the "
    "**moving joints** of an arm); then a method may buy costlier features for some words or letters, some "
    "arms or frames. Move the budget."
)
TASK_HELP = (
    "Words: which letters are worth a closer look? Arms on video: which frames are worth colours, regions "
    "and motion?"
)
COST_HELP = {
    "words": "Units: 1 lifts one letter by one tier, from pixels to coarse to fine edges. Measured: "
    "features, inference and the method itself.",
    "arms": "Units: 1 lifts one frame of one arm by one tier, from kinematics to colour to superpixels to "
    "flow. Measured: features, inference and the method itself.",
}
ARMS_ORIGIN = (
    "Rendered clips that no model here has seen, with exact joints; an elbow or wrist counts as right within "
    "20 pixels of the truth, in windows of 240 x 240. Each arm has 32 guesses a frame, of which a chain over "
    "the frames takes one. Kinematics: how joints move from frame to frame (free). Then: colours of the arm "
    "from frame to frame; superpixels, regions of one colour that an arm should fill; optical flow, how the "
    "picture moved. Times: measured; features when the models were trained (python -m spcviz train "
    "budget-pose), choosing and inference on this server, now. A dozen clips are few, and one arm read anew "
    "moves a curve by many joints: who is ahead changes from batch to batch; the page Paper tables has many. "
    "Weiss (2013), sections 6.3.2 and 7.4.1."
)
