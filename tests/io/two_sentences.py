"""Two sentences in the forms that tests of files write, and a check that a file is read as them."""

from spcviz.io import read_conll

WORDS = [["Ada", "Lovelace", "wrote"], ["In", "Turin", "."]]
TAGS = [["B-PER", "I-PER", "O"], ["O", "B-LOC", "O"]]


def rows(separator="\t", blank="\n", *, before=lambda s, t: [], behind=lambda s, t: []):
    """The two sentences, one token per line; `before` and `behind` give more columns."""
    out = []
    for s, (words, tags) in enumerate(zip(WORDS, TAGS)):
        for t, (word, tag) in enumerate(zip(words, tags)):
            out.append(separator.join([*before(s, t), word, *behind(s, t), tag]) + "\n")
        out.append(blank)
    return "".join(out)


def same(source, **options):
    corpus = read_conll(source, **options)
    assert (corpus.sentences, corpus.labels) == (WORDS, TAGS), corpus.found
    return corpus


CONLLU = "".join(
    f"# sent_id = {s}\n# text = x\n"
    + ("1-2\tAdaLovelace" + 8 * "\t_" + "\n" if s == 0 else "")
    + "".join(f"{t + 1}\t{w}\tx\tNOUN\tNN\t_\t0\tdep\t_\t_\n" for t, w in enumerate(words))
    + ("2.1\tempty" + 8 * "\t_" + "\n" if s else "")
    + "\n"
    for s, words in enumerate(WORDS)
)

RECORDS = [{"id": str(k), "tokens": w, "ner_tags": t} for k, (w, t) in enumerate(zip(WORDS, TAGS))]
NAMES = ["O", "B-PER", "I-PER", "B-LOC"]
NUMBERED = [r | {"ner_tags": [NAMES.index(t) for t in r["ner_tags"]]} for r in RECORDS]
TEXTS = ["Ada Lovelace wrote", "In Turin."]
SPANS = [[(0, 12, "PER")], [(3, 8, "LOC")]]
FEATURE = {"feature": {"names": NAMES, "_type": "ClassLabel"}, "_type": "Sequence"}
