"""What the Parsing page says."""

INTRODUCTION = (
    "#### Parsing: which words deserve the expensive features?\n"
    "Every word hangs below another. Tags alone are cheap and often enough; the **full template** looks at "
    "words, endings and everything around them. Each policy buys it **word by word**, and the tree is parsed "
    "again."
)
PLACEHOLDER = "Type a sentence and press Enter"
_OWN = "A sentence written for this page, with heads in the manner of Universal Dependencies."
_TREEBANK = "A sentence of the English Web Treebank's test part (CC BY-SA 4.0), new to the parser."
_TYPED = (
    "Tags by this project's tagger. Nobody has said what is right: policies are compared with the full parse."
)


def sentence_label(sentence):
    """A sentence in a menu."""
    return " ".join(sentence.words)


def origin(key):
    """Where a sentence comes from; an empty key: typed."""
    return _TYPED if not key else _OWN if key.startswith("own") else _TREEBANK
