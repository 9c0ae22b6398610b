"""The Tagging page's sentences."""

INTRODUCTION = (
    "# Tagging: watch a sentence lose its readings\n"
    "Noun or verb? A cascade first asks which **tags** each word could have by itself, then which of them "
    "survive beside their **neighbours**, then which **pairs**. Drag α: what no good reading needs fades."
)
CHOSEN = (
    "This is a development sentence, chosen because neighbours change a tag, the answer is right, and "
    "max-marginals leave fewer tags than a CRF. On most sentences the CRF leaves fewer: *Compare with a CRF*."
)
ORIGIN = (
    "Words are split as the Penn Treebank splits them (do n\u2019t, she \u2019s; hyphens apart). The "
    "tagger was trained on the Universal Dependencies English Web Treebank (Silveira et al. 2014), "
    "CC BY-SA 4.0; it knows English only: other scripts are tagged as unknown words."
)
SHOWS = {"words": "The sentence", "lattice": "Step by step", "compare": "Compare with a CRF"}


def counts(comparison) -> str:
    """Tags a word that three filters leave at the losses that training allowed, as figures to compare."""
    n = len(comparison.words)
    left = {
        "SPC": sum(map(len, comparison.spc)) / n,
        "CRF": sum(map(len, comparison.crf)) / n,
    }
    changed = sum(alone != tag for alone, tag in zip(comparison.alone, comparison.tagged, strict=True))
    said = " · ".join(f"**{name}** {value:.1f}" for name, value in left.items())
    differ = f", and {changed} of {n} answers differ" if changed else ""
    return f"Tags left a word, each filter tuned to lose equally few: {said} · **no structure** 1.0{differ}."
