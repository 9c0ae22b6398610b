"""Cross-validation on the cores of one machine, or of a Dask cluster: python examples/cluster.py [ADDRESS].

For a cluster, on three terminals or machines with the same packages:

    dask scheduler
    dask worker tcp://SCHEDULER:8786 --memory-limit 3GB
    python examples/cluster.py tcp://SCHEDULER:8786
"""

import sys
from pathlib import Path

from joblib import parallel_config
from sklearn.model_selection import cross_val_score

import spcviz as sp

CORPUS = Path(__file__).parents[1] / "cache/data/ewt/sentences.conllu"


def scores(n_jobs):
    """Shares of words right, one per fold."""
    corpus = sp.read_conll(CORPUS)
    X = [
        [[f"w={word.lower()}", f"e={word[-2:]}"] for word in sentence] for sentence in corpus.sentences[:150]
    ]
    return cross_val_score(
        sp.StructuredPerceptron(random_state=0), X, corpus.labels[:150], cv=3, n_jobs=n_jobs
    )


if __name__ == "__main__":
    if len(sys.argv) > 1:
        from distributed import Client

        with Client(sys.argv[1]), parallel_config("dask"):
            accuracies = scores(-1)
    else:
        accuracies = scores(None)
    print("words right, a fold each:", accuracies.round(3))
