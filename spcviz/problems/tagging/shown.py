"""Records that the Tagging page draws next to its lattice, and plain words for tags."""

from typing import NamedTuple

_TAGS = (
    ("CC", "and, or, but: coordinating conjunction", "conjunction"),
    ("CD", "number", "number"),
    ("DT", "article or determiner", "article"),
    ("EX", "existential there", "there is"),
    ("FW", "foreign word", "foreign"),
    ("IN", "preposition or subordinating conjunction", "preposition"),
    ("JJ", "adjective", "adjective"),
    ("JJR", "adjective, comparative", "adjective, more"),
    ("JJS", "adjective, superlative", "adjective, most"),
    ("LS", "list marker", "list mark"),
    ("MD", "modal verb", "modal verb"),
    ("NN", "noun, singular", "noun"),
    ("NNS", "noun, plural", "nouns"),
    ("NNP", "name, singular", "name"),
    ("NNPS", "name, plural", "names"),
    ("PDT", "word before an article (all, such)", "pre-article"),
    ("POS", "possessive ending", "’s"),
    ("PRP", "personal pronoun", "pronoun"),
    ("PRP$", "possessive pronoun", "possessive"),
    ("RB", "adverb", "adverb"),
    ("RBR", "adverb, comparative", "adverb, more"),
    ("RBS", "adverb, superlative", "adverb, most"),
    ("RP", "particle", "particle"),
    ("SYM", "symbol", "symbol"),
    ("TO", "the word to", "to"),
    ("UH", "interjection", "exclamation"),
    ("VB", "verb, base form", "verb, bare"),
    ("VBD", "verb, past tense", "verb, past"),
    ("VBG", "verb, -ing form", "verb, -ing"),
    ("VBN", "verb, past participle", "verb, participle"),
    ("VBP", "verb, present, not he/she/it", "verb"),
    ("VBZ", "verb, present, he/she/it", "verb, -s"),
    ("WDT", "wh-determiner (which, that)", "which, that"),
    ("WP", "wh-pronoun (who, what)", "who, what"),
    ("WP$", "possessive wh-pronoun (whose)", "whose"),
    ("WRB", "wh-adverb (how, where)", "how, where"),
    ("#", "pound sign"),
    ("$", "dollar sign"),
    ("''", "closing quotation mark"),
    ("``", "opening quotation mark"),
    ("(", "opening bracket"),
    (")", "closing bracket"),
    ("-LRB-", "opening bracket"),
    ("-RRB-", "closing bracket"),
    (",", "comma"),
    (".", "end of sentence"),
    (":", "colon, semicolon or dash"),
    ("ADD", "e-mail or web address", "web address"),
    ("AFX", "affix standing alone", "affix"),
    ("GW", "piece of a word split by mistake", "word piece"),
    ("HYPH", "hyphen inside a word", "hyphen"),
    ("NFP", "decorative punctuation", "decoration"),
    ("XX", "unclear", "unknown"),
)
"""Tags with their meaning in plain words, and in a word or two for a chip; punctuation has no short form."""
TAG_NAMES = {tag: name for tag, name, *_ in _TAGS}
PLAIN = {tag: short for tag, _, *shorts in _TAGS for short in shorts}


class TagComparison(NamedTuple):
    """One sentence pruned by two rules in the same space, and tagged with and without structure."""

    words: tuple[str, ...]
    # spc, crf: for each word the tags that stay, likeliest first
    spc: tuple[tuple[str, ...], ...]
    crf: tuple[tuple[str, ...], ...]
    alone: tuple[str, ...]  # each word's best tag when no word sees its neighbours' tags
    tagged: tuple[str, ...]  # the cascade's answer
    meanings: dict[str, str]  # tags in plain words
    spc_alpha: float
    crf_alpha: float
