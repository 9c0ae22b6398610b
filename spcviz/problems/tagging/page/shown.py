"""The record that the Tagging page draws beside its lattice."""

from typing import NamedTuple


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
