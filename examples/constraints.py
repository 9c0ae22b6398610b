"""Labels that obey rules: BIO chunks, labels that a word may have, labels that are unknown in training."""

import numpy as np

import spcviz as sp
from spcviz.scores import bio_transitions

labels = ["O", "B-PER", "I-PER", "B-LOC", "I-LOC"]
emissions = [np.random.default_rng(3).normal(size=(6, 5))]

free = sp.from_emissions(emissions, labels=labels)
ruled = sp.from_emissions(emissions, labels=labels, **bio_transitions(labels)._asdict())
print("free: ", " ".join(free.decode()[0]))
print("ruled:", " ".join(ruled.decode()[0]))

X = [[["John"], ["lives"], ["in"], ["Rome"]], [["Rome"], ["sleeps"]]]
y = [["B-PER", "O", "O", "B-LOC"], ["B-LOC", None]]  # None: unknown
tagger = sp.ChainCRF(constraints="bio").fit(X, y)
print("trained on labels with a gap:", " ".join(tagger.predict(X)[1]))
only = [[["O"], ["O"], ["O"], ["B-PER", "B-LOC"]], [["B-PER"], ["O"]]]
print("where a word list narrows it:", " ".join(tagger.predict(X, allowed=only)[1]))
