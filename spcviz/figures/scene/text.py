"""What the page Scenes at any time says."""

INTRODUCTION = (
    "#### Scenes at any time: labels that sharpen as time is spent\n"
    "The **anytime predictor** (SIM) can be stopped at any moment: each step chooses the regions it is least "
    "sure of, at one of seven sizes, and buys the features it needs there. The **inference machine** (HIM) "
    "computes everything first and answers once. Drag the time."
)
TRAINED_ON = (
    "The predictors know 11 classes of British streets seen from a car (CamVid, 240 x 180 pixels, for "
    "personal and research use only); other pictures get the nearest of those classes."
)
KIND_HELP = "Pictures you bring are read in memory and kept nowhere."
MISSING = "No predictor is stored here: python -m spcviz train scene"
