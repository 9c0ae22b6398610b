"""Features that cost, bought where they pay: a tagger with a budget, and what each budget buys."""

from pathlib import Path

import numpy as np

import spcviz as sp
from spcviz.spending import FeatureTiers

CORPUS = Path(__file__).parents[1] / "cache/data/ewt/sentences.conllu"
N_HASHED = 64


def hashed(words):
    """Words as rows of zeros and ones, by a hash that is the same every day."""
    rows = np.zeros((len(words), N_HASHED))
    for i, word in enumerate(words):
        rows[i, sum(ord(letter) * (k + 1) for k, letter in enumerate(word)) % N_HASHED] = 1
    return rows


def features(sentence):
    """Three tiers side by side: endings, words, words before."""
    lower = [word.lower() for word in sentence]
    return np.hstack([hashed([word[-2:] for word in lower]), hashed(lower), hashed(["", *lower[:-1]])])


corpus = sp.read_conll(CORPUS)
X, y = [features(sentence) for sentence in corpus.sentences[:120]], corpus.labels[:120]
columns = np.arange(3 * N_HASHED).reshape(3, N_HASHED)
tiers = FeatureTiers(("endings", "words", "context"), tuple(columns), (0, 1, 4))

for policy in ("dms_pi", "random"):
    tagger = sp.BudgetedTagger(tiers, policy=policy, max_iter=3, cv=2, random_state=0).fit(X[:80], y[:80])
    everything = tagger.cost_of_everything(X[80:])
    curve = tagger.curve(X[80:], y[80:], [0, 0.1 * everything, 0.3 * everything, everything])
    print(f"{policy:7} wrong at 0, 10, 30, 100 % of the cost:", curve.error.round(3))
