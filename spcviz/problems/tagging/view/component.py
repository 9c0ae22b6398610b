"""A sentence with the tags left under each word: a Streamlit component over the lattice's own data."""

from spcviz.web.view.mount import Component, viewer

VIEW_NAMES = ("alphas", "level", "cell")
"""What the browser owns; as the lattice's, but a cell is always one tag at one word."""

SENTENCE = Component(
    "spcviz_sentence",
    ("web/view/bar.css", "web/view/more.css", "problems/tagging/view/sentence.css"),
    (
        "web/view/elements.js",
        "web/view/view.js",
        "web/view/more.js",
        "web/view/rule.js",
        "web/lattice/lattice_core.js",
        "problems/tagging/view/sentence_core.js",
        "problems/tagging/view/sentence.js",
    ),
    VIEW_NAMES,
)

PLAIN = {
    "CC": "and, or",
    "CD": "number",
    "DT": "article",
    "EX": "there is",
    "FW": "foreign",
    "IN": "preposition",
    "JJ": "adjective",
    "JJR": "adjective, more",
    "JJS": "adjective, most",
    "LS": "list mark",
    "MD": "modal verb",
    "NN": "noun",
    "NNS": "nouns",
    "NNP": "name",
    "NNPS": "names",
    "PDT": "pre-article",
    "POS": "’s",
    "PRP": "pronoun",
    "PRP$": "possessive",
    "RB": "adverb",
    "RBR": "adverb, more",
    "RBS": "adverb, most",
    "RP": "particle",
    "SYM": "symbol",
    "TO": "to",
    "UH": "exclamation",
    "VB": "verb, bare",
    "VBD": "verb, past",
    "VBG": "verb, -ing",
    "VBN": "verb, participle",
    "VBP": "verb",
    "VBZ": "verb, -s",
    "WDT": "which, that",
    "WP": "who, what",
    "WP$": "whose",
    "WRB": "how, where",
    "ADD": "web address",
    "AFX": "affix",
    "GW": "word piece",
    "HYPH": "hyphen",
    "NFP": "decoration",
    "XX": "unknown",
}
"""Tags in a word or two, for a chip; those that are not here are their own signs."""


def sentence_payload(payload: tuple[dict, dict], alphabet: tuple[str, ...]) -> tuple[dict, dict]:
    """A `lattice_payload` of a tagged sentence, with its tags in a word or two."""
    sent, parts = payload
    return sent | {"plain": [PLAIN.get(tag, "punctuation") for tag in alphabet]}, parts


show_sentence = viewer(SENTENCE)
