"""What the Pose page says about arms and budgets."""

MISSING = (
    "The models of arms are not stored here. Make them with: `python -m spcviz train budget-pose` (needs the "
    "Buffy data)."
)
INTRODUCTION = (
    "#### Pose on video: which frames deserve a closer look?\n"
    "Each arm has 32 guesses a frame, and a chain over the frames takes one of them. How joints move is "
    "known for free; **colours**, **superpixels** (regions of one colour) and **optical flow** (how the "
    "picture moved) cost more and more time, and may be bought for some frames only."
)
TRAINED_ON = (
    "The models of arms were trained on rendered clips at about 8 frames a second (their modes also on Buffy "
    "Stickmen): one upright person, seen from the front. Other clips are outside of what they have learned."
)
WAIT = "Kinematics, colour, superpixels and flow of every frame ..."
