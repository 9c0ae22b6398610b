"""Train the small transformer whose logits are stored next to this file, and write them.

    python train.py FOLDER SENTENCES.conllu logits.npz

FOLDER has ``en_ewt-ud-train.conllu`` of the Universal Dependencies English Web Treebank; SENTENCES.conllu has
the sentences to tag, none of them from that part (``cache/data/ewt/sentences.conllu``). Sub-words come from
byte-pair encoding, learned from the same part; nothing is pre-trained. Needs ``pip install jax optax
tokenizers``, and about a quarter of an hour on one core.
"""

import argparse
from functools import partial
from itertools import pairwise
from pathlib import Path

import jax
import jax.numpy as jnp
import numpy as np
import optax
from tokenizers import Tokenizer, models, pre_tokenizers, trainers

import spcviz as sp

DIM, HEADS, LAYERS, VOCABULARY, DROPOUT = 128, 4, 2, 6000, 0.2
EPOCHS, BATCH, RATE, LONGEST = 12, 32, 2e-3, 96
WIDTHS = (16, 32, 64, LONGEST)


def tokenizer_of(sentences):
    """Byte-pair encoding of words, with the special tokens of a token classifier."""
    tokenizer = Tokenizer(models.BPE(unk_token="[UNK]"))
    tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
    special = ["[PAD]", "[UNK]", "[CLS]", "[SEP]"]
    trainer = trainers.BpeTrainer(vocab_size=VOCABULARY, special_tokens=special, min_frequency=2)
    tokenizer.train_from_iterator([word for words in sentences for word in words], trainer)
    return tokenizer


def encoded(tokenizer, words):
    """(ids of sub-words, index of each one's word, None for the special ones)."""
    text = tokenizer.encode(words, is_pretokenized=True)
    ids = [tokenizer.token_to_id("[CLS]"), *text.ids, tokenizer.token_to_id("[SEP]")]
    return ids, [None, *text.word_ids, None]


def initial(rng, n_labels):
    """Weights of an encoder with learned positions, layer norms before each half of a layer."""

    def matrix(*shape):
        return jnp.asarray(rng.normal(0, 1 / np.sqrt(shape[0]), shape), jnp.float32)

    def layer():
        norms = {f"norm{k}": jnp.ones(DIM) for k in (1, 2)}
        return norms | {
            "attend": matrix(DIM, 3 * DIM), "join": matrix(DIM, DIM),
            "widen": matrix(DIM, 4 * DIM), "narrow": matrix(4 * DIM, DIM),
        }  # fmt: skip

    return {
        "token": 0.1 * jnp.asarray(rng.normal(size=(VOCABULARY, DIM)), jnp.float32),
        "place": 0.1 * jnp.asarray(rng.normal(size=(LONGEST, DIM)), jnp.float32),
        "layers": [layer() for _ in range(LAYERS)],
        "norm": jnp.ones(DIM),
        "out": matrix(DIM, n_labels),
        "bias": jnp.zeros(n_labels),
    }


def dropped(x, key):
    """Dropout: some entries set to 0 while training."""
    if key is None:
        return x
    return x * jax.random.bernoulli(key, 1 - DROPOUT, x.shape) / (1 - DROPOUT)


def normed(x, scale):
    centred = x - x.mean(-1, keepdims=True)
    return scale * centred / jnp.sqrt((centred**2).mean(-1, keepdims=True) + 1e-6)


def logits_of(weights, ids, key=None):
    """Scores of labels (B, T, K) for sub-words (B, T); 0 is padding."""
    keys = iter([None] * 99 if key is None else jax.random.split(key, 2 * LAYERS + 1))
    there = (ids > 0)[:, None, None, :]
    x = dropped(weights["token"][ids] + weights["place"][: ids.shape[1]], next(keys))
    for layer in weights["layers"]:
        parts = jnp.split(normed(x, layer["norm1"]) @ layer["attend"], 3, axis=-1)
        query, held, value = (part.reshape(*ids.shape, HEADS, -1).swapaxes(1, 2) for part in parts)
        match = query @ held.swapaxes(-1, -2) / np.sqrt(DIM // HEADS)
        mixed = jax.nn.softmax(jnp.where(there, match, -1e9)) @ value
        x = x + dropped(mixed.swapaxes(1, 2).reshape(x.shape) @ layer["join"], next(keys))
        hidden = jax.nn.gelu(normed(x, layer["norm2"]) @ layer["widen"])
        x = x + dropped(hidden @ layer["narrow"], next(keys))
    return normed(x, weights["norm"]) @ weights["out"] + weights["bias"]


def loss_of(weights, ids, gold, key):
    """Mean cross entropy over the first sub-words of words; gold is -1 elsewhere."""
    losses = optax.softmax_cross_entropy_with_integer_labels(
        logits_of(weights, ids, key), jnp.maximum(gold, 0)
    )
    return (losses * (gold >= 0)).sum() / (gold >= 0).sum()


def batches(rows, rng):
    """Sentences of similar length together, padded to one of `WIDTHS`: (ids, gold), each (B, T)."""
    made = []
    for low, width in zip((0, *WIDTHS), WIDTHS):
        some = [row for row in rows if low < len(row[0]) <= width]
        order = rng.permutation(len(some))
        for at in range(0, len(order) - BATCH + 1, BATCH):
            ids, gold = np.zeros((BATCH, width), np.int32), np.full((BATCH, width), -1, np.int32)
            for i, k in enumerate(order[at : at + BATCH]):
                ids[i, : len(some[k][0])], gold[i, : len(some[k][0])] = some[k]
            made.append((ids, gold))
    return [made[k] for k in rng.permutation(len(made))]


def steps_of(y, number):
    """How much more often than by chance one label follows another, as logs, (K, K)."""
    counts = np.ones((len(number), len(number)))
    for labels in y:
        for before, after in pairwise(labels):
            counts[number[before], number[after]] += 1
    shares = counts / counts.sum()
    return np.log(shares / np.outer(shares.sum(axis=1), shares.sum(axis=0)))


def of_words(words, labels, tokenizer, number):
    """(sub-words, label of each one that begins a word, else -1)."""
    ids, owner = encoded(tokenizer, words)
    begins = [word is not None and word != before for word, before in zip(owner, [None, *owner])]
    return ids, [number[labels[word]] if first else -1 for word, first in zip(owner, begins)]


def main():
    asked = argparse.ArgumentParser()
    for name in ("folder", "sentences", "out"):
        asked.add_argument(name, type=Path)
    asked = asked.parse_args()
    corpus = sp.read_conll(asked.folder / "en_ewt-ud-train.conllu")
    X, y = corpus.sentences, corpus.labels
    names = sorted({label for labels in y for label in labels})
    number = {name: k for k, name in enumerate(names)}
    tokenizer = tokenizer_of(X)
    rows = [of_words(words, labels, tokenizer, number) for words, labels in zip(X, y)]
    rng = np.random.default_rng(0)
    weights = initial(rng, len(names))
    n_steps = EPOCHS * len(batches(rows, rng))
    optimiser = optax.chain(
        optax.clip_by_global_norm(1.0),
        optax.adamw(optax.warmup_cosine_decay_schedule(0.0, RATE, n_steps // 10, n_steps), weight_decay=0.01),
    )
    state = optimiser.init(weights)

    @partial(jax.jit, donate_argnums=(0, 1))
    def step(weights, state, ids, gold, key):
        loss, slope = jax.value_and_grad(loss_of)(weights, ids, gold, key)
        change, state = optimiser.update(slope, state, weights)
        return optax.apply_updates(weights, change), state, loss

    key = jax.random.key(0)
    for epoch in range(EPOCHS):
        losses = []
        for ids, gold in batches(rows, rng):
            key, used = jax.random.split(key)
            weights, state, loss = step(weights, state, ids, gold, used)
            losses.append(float(loss))
        print(f"pass {epoch + 1}: loss {np.mean(losses):.3f}", flush=True)

    held = sp.read_conll(asked.sentences)
    words, gold = held.sentences, held.labels
    read = jax.jit(logits_of)
    tables, owners = [], []
    for sentence in words:
        ids, owner = encoded(tokenizer, sentence)
        padded = np.zeros((1, LONGEST), np.int32)
        padded[0, : len(ids)] = ids
        tables.append(np.asarray(read(weights, padded))[0, : len(ids)])
        owners.append([-1 if word is None else word for word in owner])
    truth = [[number[label] for label in labels] for labels in gold]
    begins = [[row.index(k) for k in range(len(labels))] for row, labels in zip(owners, truth)]
    right = np.concatenate([t[at].argmax(axis=1) == ids for t, at, ids in zip(tables, begins, truth)]).mean()
    print(f"{len(words)} sentences, {sum(map(len, truth))} words, {100 * right:.1f} % right")
    np.savez_compressed(
        asked.out,
        logits=np.concatenate(tables).astype(np.float16),
        lengths=np.array([len(table) for table in tables], dtype=np.int16),
        word_ids=np.concatenate(owners).astype(np.int16),
        labels=np.concatenate(truth).astype(np.int8),
        tokens=np.array([word for sentence in words for word in sentence]),
        id2label=np.array(names),
        transitions=steps_of(y, number).round(3),
    )


if __name__ == "__main__":
    main()
