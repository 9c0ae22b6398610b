"""What the hybrid is told in, and what its page draws: plain tuples, numpy only."""

DATA = {"ocr": "handwritten words as given", "open": "open vocabulary, unseen words"}
METHODS = {
    "spc_pi": ("SPC-π", "raises orders and buys features, by a policy learned from whole courses"),
    "greedy": ("Greedy", "both, by the predicted gain of the next action alone"),
    "order_only": ("Orders alone", "raises orders only, by a learned policy; pixels are all it sees"),
    "dms_pi": ("DMS-π", "buys features only, on a chain of bigrams (chapter 7)"),
    "spc": ("SPC", "fixed orders 1 to 6 for all letters (chapter 4)"),
    "random": ("Random", "both, by chance"),
}
"""Methods of the result: label, and what each does."""

PARENTS = ("spc", "dms_pi")
"""What SPC-pi is compared with."""
