"""Cached calls of the Exact inference page: search, elimination, trees, losses and merged letters."""

from spcviz.problems.exact import agglomerate, shown
from spcviz.problems.exact.page import live
from spcviz.web.cached.sharing import share


@share(256, stored=(shown.WordProblem, shown.ExactRun))
def exact_run(word_id, start, n_letters, n_candidates, pair_weight):
    """(problem, both methods run on it); see `spcviz.problems.exact.page.live`."""
    problem = live.word_problem(word_id, start, n_letters, n_candidates, pair_weight)
    return problem, live.run_exact(problem)


@share(256, stored=shown.Decomposition)
def decomposition(scopes):
    """Restriction sets of a word of four letters; see `spcviz.problems.exact.page.live`."""
    return live.decomposition([26] * 4, scopes)


CROSSWORDS = tuple(live.CROSSWORDS)


@share(64, stored=(shown.TreeProblem, shown.TreeRun))
def tree_run(name, n_candidates, pair_weight, root):
    """(problem, its messages); the last letter is the root if there are too few letters for `root`."""
    problem = live.crossword(name, n_candidates, pair_weight)
    return problem, live.run_tree(problem, min(root, len(problem.names) - 1))


@share(256, stored=(shown.WordProblem, shown.FamilyRun))
def family_run(word_id, start, n_letters, pair_weight):
    """(problem with all letters, its losses from CRF to SVM); see `spcviz.problems.exact.page.live`."""
    problem = live.word_problem(word_id, start, n_letters, 26, pair_weight)
    return problem, live.run_family(problem)


@share(256, stored=(shown.WordProblem, shown.MergedRun))
def merged_run(word_id, start, n_letters, n_candidates, weight, order):
    """(problem, its n-gram model as a chain); see `spcviz.problems.exact.agglomerate`."""
    every = live.word_problem(word_id, start, max(n_letters, order), 26)
    problem = agglomerate.narrow(every, n_candidates)
    return problem, agglomerate.run_merged(problem, order, weight)
