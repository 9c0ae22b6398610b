"""The logits of a neural tagger: which labels could be pruned, at which loss, and what BIO rules change.

With Hugging Face transformers the two arguments are ``model(**batch).logits`` and ``batch.word_ids(i)``; no
such library is needed here, so the logits are made up.
"""

import numpy as np

from spcviz.scores import bio_transitions, from_hf

rng = np.random.default_rng(1)
names = {0: "O", 1: "B-PER", 2: "I-PER", 3: "B-ORG", 4: "I-ORG"}
gold = [[0, 1, 2, 0, 0, 3], [1, 0, 0, 3, 4, 4]]
word_ids = [[None, 0, 1, 1, 2, 3, 4, 5, None], [None, 0, 1, 2, 2, 3, 4, 5, None]]  # sub-words of words
logits = rng.normal(size=(2, 9, 5))
for i, words in enumerate(word_ids):
    for at, word in enumerate(words):
        if word is not None:
            logits[i, at, gold[i][word]] += 1.5

rules = bio_transitions(names.values())
tags = from_hf(logits, word_ids, id2label=names, **rules._asdict())
y = [[names[k] for k in ids] for ids in gold]
print("read:", *(" ".join(labels) for labels in tags.decode()), sep="\n  ")

alpha = tags.tune(y, tolerance=0.0)  # the sharpest threshold that loses none of these truths
left = tags.prune(alpha)
print(f"at alpha = {alpha:.2f} {left.n_states} of {sum(map(len, y)) * len(names)} labels are left")
