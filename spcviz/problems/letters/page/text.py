"""The Letters page's sentences."""

INTRODUCTION = (
    "# Letters: watch a cascade prune\nWhich **letters** could stand at each place, which **pairs**, which "
    "**triples**? At each level the cascade discards what no plausible word contains. Drag the threshold."
)
CHOSEN = (
    "This is a development word, chosen because the first three levels misread it and the fourth reads it "
    "right. Not every word ends so well: choose from the misread."
)
FEW_WORDS = (
    "This data has 55 different words, each without its first letter (a capital). A plain dictionary "
    "of the training words beats the cascade on them, but it cannot know other words. The cascade "
    "shows how little exact inference can cost when nothing is known about the words."
)
