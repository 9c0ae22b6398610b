"""Tagging beside the paper's Table 4.2: a frame to show and download."""

import pandas as pd

METHODS = {"full": "Full", "spc": "SPC", "crf": "CRF", "tags": "Tags"}
CORPORA = {"ewt": "English Web Treebank", "wsj": "Wall Street Journal sample"}


def methods_frame(result, features):
    """Thesis Table 4.2, measured on two corpora and the paper's in columns of their own.

    Parameters
    ----------
    result : dict
        tagging.
    features : str

    Returns
    -------
    pandas.DataFrame
        One row a corpus and method; "times faster" is against Full on the same corpus.
    """
    rows = [row for row in result["rows"] if row["features"] == features]
    full = {row["data"]: row for row in rows if row["method"] == "full"}
    table = []
    for row in rows:
        paper, base = row.get("paper") or {}, full.get(row["data"], row)
        table.append(
            {
                "corpus, method": f"{CORPORA.get(row['data'], row['data'])}, "
                f"{METHODS.get(row['method'], row['method'])}",
                "words right %, measured": row["accuracy"],
                "words right %, paper": paper.get("accuracy"),
                "sentences lost %, measured": row["filter_loss_sentence"],
                "words lost %, measured": row["filter_loss_token"],
                "filter loss %, paper": paper.get("filter_loss"),
                "bigrams a position, measured": row["states"],
                "bigrams a position, paper": paper.get("states"),
                "µs a sentence, inference": row["us_inference"],
                "times faster, inference": base["us_inference"] / row["us_inference"],
                "µs a sentence, with features": row["us_total"],
                "times faster, with features": base["us_total"] / row["us_total"],
                "ms a sentence, paper": paper.get("ms"),
            }
        )
    frame = pd.DataFrame(table).set_index("corpus, method")
    return frame.apply(pd.to_numeric, errors="coerce")
