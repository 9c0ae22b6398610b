"""A short reproduction of the letters' table as a user orders it, and what its result must contain."""

import json
import os
from pathlib import Path

from spcviz.problems.letters.model import cascade as experiment
from spcviz.store import digest_of_arrays

RESULT = {"name", "source", "rows", "baselines", "settings", "data_digests", "machine", "fold_rows"}
RESULT |= {"looks_at_test", "provenance", "command", "seconds"}
ROW = {
    "features", "order", "char_accuracy", "word_accuracy", "filter_loss", "n_grams_in", "n_grams_kept",
    "us_per_word", "us_dense_per_word",
}  # fmt: skip


KEPT = 1 + len(experiment.TABLE_RUNS)
"""Results that a fold of raw pixels keeps: of every cascade, and of the dictionary."""


def refuse(*_, **__):
    raise AssertionError("trained again")


def interrupt(*_, **__):
    raise KeyboardInterrupt


def bytes_of(folder):
    return {path.name: path.read_bytes() for path in Path(folder).iterdir()}


def copied(folder, target):
    for name, content in bytes_of(folder).items():
        (target / name).write_bytes(content)
    return target


def orders(tmp_path, *more):
    """Arguments of a short reproduction."""
    return [
        *("reproduce", "ocr-orders", "--features", "raw", "--quick", "--folds", "1", "--workers", "1"),
        *("--json", str(tmp_path / "table.json"), "--work", str(tmp_path / "work"), *more),
    ]


def without_times(row):
    return {key: value for key, value in row.items() if not key.startswith("us_")}


def check_table(path, words, features=("raw",), n_orders=6):
    table = json.loads(path.read_text())
    assert table.keys() == RESULT | {"trade", "first_filters"}
    assert table["name"] == "ocr-orders"
    cascades = (("own", "word"), ("own", "position"), ("shared", "word"))  # those of raw pixels
    assert [(r["features"], r["cascade"], r["tolerance_kind"], r["order"]) for r in table["rows"]] == [
        (f, *one, n) for f in features for one in cascades for n in range(1, n_orders + 1)
    ]
    for row in table["rows"]:
        assert row.keys() >= ROW
        assert 0 <= row["word_accuracy"] <= row["char_accuracy"] <= 100
        assert (row["paper"] is not None) == (row["features"] == "raw" and row["cascade"] == "own")
        assert (row["us_dense_per_word"] is None) == (row["order"] > 2)
    for baseline in table["baselines"]:
        assert baseline["method"] == "dictionary"
        assert {"char_accuracy", "word_accuracy"} <= baseline.keys()
    assert table["data_digests"] == {"ocr": digest_of_arrays(words._asdict())}
    assert table["machine"]["cores"] == os.cpu_count()
    assert table["seconds"] > 0
    return table
