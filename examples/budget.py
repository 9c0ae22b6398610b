"""Costly features, bought where they pay off: a tagger with a budget, and what each budget buys.

Tokens are dicts, as for any tagger here or in CRFsuite, and a tier is some of their keys. Lists of texts, and
columns of arrays and of sparse matrices, work as well; a function computes features only once they are
bought, as for the last tier below.
"""

from pathlib import Path

import spcviz as sp
from spcviz.spending import FeatureTiers

CORPUS = Path(__file__).parents[1] / "cache/data/ewt/sentences.conllu"


def tokens(sentence):
    """Features of a sentence that are free or cheap."""
    lower = [word.lower() for word in sentence]
    return [{"ending": w[-2:], "is_title": v.istitle(), "word": w} for v, w in zip(sentence, lower)]


def context(sentence, positions):
    """The words around some positions of a sentence; in practice, features that are expensive."""
    words = ["", *(token["word"] for token in sentence), ""]
    return [{"before": words[i], "behind": words[i + 2], "ending before": words[i][-2:]} for i in positions]


corpus = sp.read_conll(CORPUS)
X, y = [tokens(sentence) for sentence in corpus.sentences[:200]], corpus.labels[:200]
tiers = FeatureTiers(("ending", "word", "context"), (["ending", "is_title"], ["word"], context), (0, 1, 4))

for policy in ("dms_pi", "random"):
    tagger = sp.BudgetedTagger(tiers, policy=policy, max_iter=3, cv=2, random_state=0).fit(X[:150], y[:150])
    everything = tagger.cost_of_everything(X[150:])
    curve = tagger.curve(X[150:], y[150:], [0, 0.1 * everything, 0.3 * everything, everything])
    print(f"{policy:7} wrong at 0, 10, 30, 100 % of the cost:", curve.error.round(3))
