"""What the Tagging page draws beside its lattice: plain tuples."""

from typing import NamedTuple


class TagComparison(NamedTuple):
    """One sentence pruned by two rules in the same space, and tagged with and without structure.

    Attributes
    ----------
    words : tuple of str
    spc, crf : tuple of tuple of str
        For each word the tags that stay, likeliest first.
    alone : tuple of str
        Each word's best tag when no word sees its neighbours' tags.
    tagged : tuple of str
        The cascade's answer.
    meanings : dict of str to str
        Tags in plain words.
    spc_alpha, crf_alpha : float
    """

    words: tuple
    spc: tuple
    crf: tuple
    alone: tuple
    tagged: tuple
    meanings: dict
    spc_alpha: float
    crf_alpha: float
