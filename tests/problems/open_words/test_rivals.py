"""The dictionary reads the best entry of the right length, and letter by letter where there is none."""

import numpy as np

from spcviz.problems.open_words.model.rivals import dictionary, read_by_dictionary


def test_it_is_the_best_of_all_entries():
    rng = np.random.default_rng(0)
    entries = [rng.integers(0, 4, n).tolist() for n in rng.integers(1, 5, 30)]
    bonus = rng.normal(size=len(entries))
    lengths = np.array([4, 1, 3, 2, 6])
    unary = rng.normal(size=(lengths.sum(), 4))
    labels = read_by_dictionary(
        dictionary(np.concatenate(entries), [len(e) for e in entries], bonus), unary, lengths
    )
    first = 0
    for n in lengths:
        rows, here = unary[first : first + n], labels[first : first + n]
        fitting = [(bonus[i] + rows[np.arange(n), e].sum(), e) for i, e in enumerate(entries) if len(e) == n]
        wanted = max(fitting)[1] if fitting else rows.argmax(axis=1).tolist()
        assert here.tolist() == wanted
        first += n
