"""Train a tagger on sentences of a CoNLL file, choose its settings, save it and load it again."""

import tempfile
from pathlib import Path

from sklearn.model_selection import GridSearchCV

import spcviz as sp

CORPUS = Path(__file__).parents[1] / "cache/data/ewt/sentences.conllu"


def features(sentence):
    """Of each word: itself, its ending, its shape, and its neighbours."""
    padded = ["<s>", *map(str.lower, sentence), "</s>"]
    return [
        {
            "word": word,
            "ending": word[-3:],
            "upper": token[:1].isupper(),
            "before": padded[i],
            "after": padded[i + 2],
        }
        for i, (token, word) in enumerate(zip(sentence, padded[1:-1]))
    ]


corpus = sp.read_conll(CORPUS)
X, y = [features(sentence) for sentence in corpus.sentences], corpus.labels
print(f"{len(X)} sentences, {len({tag for tags in y for tag in tags})} labels, {corpus.format}")

tagger = sp.ChainCRF(c2=0.1).fit(X[:200], y[:200])
print(f"words right: {tagger.score(X[200:], y[200:]):.3f}")

search = GridSearchCV(sp.StructuredPerceptron(random_state=0), {"max_iter": [4, 8]}, cv=3)
search.fit(X[:200], y[:200])
print("chosen:", search.best_params_)

with tempfile.TemporaryDirectory() as folder:
    sp.save(tagger, Path(folder) / "tagger")
    again = sp.load(Path(folder) / "tagger")
print("loaded, it reads:", " ".join(again.predict(X[200:201])[0]))
