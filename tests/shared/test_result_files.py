"""One recomputed fold against the stored result."""

import pytest

from spcviz.shared.result_files import differences


def result(**row):
    rows = [{"method": "spc", "loss": 0.5, "us_per_word": 10.0, "curve": [1, 2.0, None]} | row]
    return {"data_digests": {"ocr": "ab"}, "fold_rows": [{"fold": "0", "rows": rows}]}


def test_times_and_the_last_digit_do_not_count():
    assert differences(result(us_per_word=99.0, loss=0.5 * (1 + 1e-12)), result()) == (5, [])


@pytest.mark.parametrize(
    ("row", "said"),
    [
        ({"loss": 0.500001}, "loss: 0.500001, was 0.5"),
        ({"method": "crf"}, "method: 'crf', was 'spc'"),
        ({"curve": [1, 2.0, 3]}, "curve [2]: 3, was None"),
        ({"curve": [1, 2.0]}, "curve: [1, 2.0], was [1, 2.0, None]"),
        ({"curve": [True, 2.0, None]}, None),
        ({"new": 1}, "new: 1, was None"),
        ({"loss": float("nan")}, "loss: nan, was 0.5"),
    ],
)
def test_what_differs_is_named(row, said):
    _, lines = differences(result(**row), result())
    assert lines == ([f"fold 0, row 1, {said}"] if said else [])


def test_folds_that_do_not_stand():
    new, old = result(), result()
    new["fold_rows"][0]["fold"] = "7"
    assert differences(new, old) == (0, ["fold 7: the result that stands has no such fold"])
    assert differences(result(), {"data_digests": {"ocr": "ab"}})[1] != []
    longer = result()
    longer["fold_rows"][0]["rows"] *= 2
    assert differences(longer, result()) == (0, ["fold 0: 2 rows, was 1"])


def test_other_data():
    new = result() | {"data_digests": {"ocr": "cd"}}
    assert differences(new, result())[1] == ["data ocr: cd, was ab"]
    more = result() | {"data_digests": {"ocr": "ab", "wsj": "ef"}}
    assert differences(result(), more) == (5, [])  # a subset of its data
    assert differences(more, result())[1] == ["data wsj: ef, was None"]
