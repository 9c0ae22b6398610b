"""What the page Exact inference shows, as numbers: behind `spcviz.scenes`.

What computes is imported when it is called.
"""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from spcviz.problems.exact.page.shown import WordProblem


def exact_inference(
    word: int = 0, *, start: int = 0, letters: int = 4, candidates: int = 3, weight: float = 1.0
) -> "WordProblem":
    """Some letters of a handwritten word as a chain, with the best candidates at each.

    Parameters
    ----------
    word : int
        Number of the word in the data.
    start : int
        The first letter, from 0.
    letters : int
        How many, D; cut to the end of the word.
    candidates : int
        How many letters are on offer at each position, K, 1 to 26.
    weight : float
        Of pairs of letters.

    Returns
    -------
    WordProblem
        ``candidates`` (D, K), numbers of letters; ``unary`` (D, K) and ``pairwise`` (D - 1, K, K), scores.

    Raises
    ------
    ArgumentError
        For an argument that there is not.
    NoCacheError
        If the handwritten words of a clone are not there.
    """
    from spcviz.problems.exact.page import live

    return live.word_problem(word, start, letters, candidates, weight)
