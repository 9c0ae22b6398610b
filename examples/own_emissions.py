"""Your own scores: decode them, query their certainty and witnesses, and prune labels that cannot be best.

Any model that gives a score to each label at each position will do; here they are drawn at random.
"""

import numpy as np

import spcviz as sp

rng = np.random.default_rng(0)
labels = ["DET", "NOUN", "VERB"]
emissions = [rng.normal(size=(length, 3)) for length in (5, 3, 8)]  # one (length, labels) array per sequence
transitions = rng.normal(size=(3, 3))  # from row to column; scores, larger is better
sequences = sp.from_emissions(emissions, transitions, labels=labels)

print("best:           ", " ".join(sequences.decode()[0]))
print("how sure:       ", sequences.marginals()[0].max(axis=1).round(2))
ranked = sequences.k_best(2)[0]
print(
    "second best:    ", " ".join(ranked.labels[1]), "by", round(float(ranked.scores[0] - ranked.scores[1]), 2)
)

why = sequences.witness(0, 2, "VERB")  # the best labelling of sequence 0 with a verb at position 2
print("best with a verb:", " ".join(why.labels), "score", round(why.score, 2))

left = sequences.prune(alpha=0.5)  # what could still be the best labelling, at this threshold
print("labels kept:    ", left.n_states, "of", 3 * sum(map(len, emissions)))
print("pairs kept:     ", left.n_arcs, "of", sum((len(array) - 1) * 9 for array in emissions))
triples = left.extend()  # three labels in a row, only over what was kept
print("triples to score:", triples.n_arcs, "of", sum(max(len(array) - 2, 0) * 27 for array in emissions))
