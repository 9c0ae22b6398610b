"""From CRFsuite in five minutes: what a program for sklearn-crfsuite changes, and what it gains.

======================================  ==============================================================
sklearn-crfsuite, python-crfsuite       spcviz
======================================  ==============================================================
``sklearn_crfsuite.CRF(...)``           ``spcviz.sequences.crfsuite.CRF(...)``, the same arguments
``CRF(algorithm="lbfgs", c1=, c2=)``    ``ChainCRF(c1=, c2=)``: the same function is minimised
``CRF(algorithm="ap")``                 ``StructuredPerceptron()``
``max_iterations``, ``min_freq``        ``max_iter``, ``min_count``
``all_possible_transitions`` (False)    the same name; True by default: every step may be allowed
dicts, nested dicts, lists, sets        the same, and arrays and sparse matrices
``fit(X, y, X_dev, y_dev)``             ``fit(X, y, X_dev=, y_dev=)`` also stops early
``predict_marginals(X)``                ``predict_marginals(X, as_dicts=True)``
``state_features_``                     the same, and ``top_features(20)``
``tagger.probability(y)``               ``log_probability(X, y)``, also if some labels are None
``pycrfsuite.Trainer``, ``Tagger``      ``spcviz.sequences.pycrfsuite``, the same methods; models are folders
``crf.tagger_.tag(x)``                  the same, and ``predict_single(x)``
``pickle``, ``joblib.dump``             the same within a version; ``spcviz.save`` for later ones
(nothing)                               ``predict_k_best``, ``allowed=``, ``constraints=``, ``entropy``
======================================  ==============================================================

Only the names of features differ, where they are inspected: ``word=The`` here is ``word:The`` there.
"""

from pathlib import Path

import spcviz as sp
from spcviz.sequences.crfsuite import CRF  # was: from sklearn_crfsuite import CRF

CORPUS = Path(__file__).parents[1] / "cache/data/ewt/sentences.conllu"


def word2features(sentence, i):
    """The extractor of a CRFsuite program, unchanged."""
    word = sentence[i]
    features = {
        "bias": 1.0,
        "word.lower()": word.lower(),
        "word[-3:]": word[-3:],
        "word.istitle()": word.istitle(),
        "word.isdigit()": word.isdigit(),
    }
    if i > 0:
        features["-1"] = {"word.lower()": sentence[i - 1].lower()}
    else:
        features["BOS"] = True
    return features


corpus = sp.read_conll(CORPUS)
X = [[word2features(sentence, i) for i in range(len(sentence))] for sentence in corpus.sentences]
y = corpus.labels

crf = CRF(algorithm="lbfgs", c1=0.1, c2=0.1, max_iterations=500, all_possible_transitions=True)
crf.fit(X[:200], y[:200])
print(f"words right: {crf.score(X[200:], y[200:]):.3f}")
for weight, label, feature in crf.top_features(3):
    print(f"{weight:6.2f} {label:6} {feature}")

unsure = crf.entropy(X[200:]).argmax()
print("least sure of:", " ".join(corpus.sentences[200 + unsure]))
best = crf.predict_k_best([X[200 + unsure]], 2)[0]
print(f"its two best labellings differ in {(best.labels[0] != best.labels[1]).sum()} words")
