"""Figures of a corpus on few sentences: shares, ends of curves, intervals, sums of times."""

import numpy as np
import pytest

from experiments.parsing import measure, times


@pytest.fixture(scope="module")
def found(trained, learned, sentences):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(times, "EVERY", 1)
        patch.setattr(times, "N_TURNS", 1)
        # The same weights again serve as the parser with a length dictionary.
        parts = measure.Parts(trained, trained._replace(), learned, sentences, sentences)
        return measure.measure(parts, np.random.default_rng(5))


def test_curves_begin_and_end_where_one_template_does(found, world):
    n = world.shape[0]
    ends = [100 - 100 * world.loss_of(world.read(np.full(n, tier))) / n for tier in (0, 1)]
    by_policy = {}
    for row in found["rows"]:
        by_policy.setdefault((row["policy"], row["dictionary"]), []).append(row)
        assert row["us_per_word"] == pytest.approx(sum(row[piece] for piece in times.PIECES))
        assert row["uas_dev"] == row["uas"] or row["policy"].startswith("uniform")  # the same sentences here
        assert row["us_per_word_dev"] > 0
        assert row["shared_weights"]
    for rows in by_policy.values():
        assert [row["features_share"] for row in rows] == measure.SHARES.tolist()
        assert [rows[0]["uas"], rows[-1]["uas"]] == pytest.approx(ends)
    alone = {row["template"]: row["uas_arborescence"] for row in found["without_policy"]}
    assert [alone["tags"], alone["full"]] == pytest.approx(ends)
    assert found["lengths"][1]["uas_eisner"] == found["without_policy"][1]["uas_eisner"]


def test_depths_add_up_to_the_share(found, world):
    n = world.shape[0]
    for row in found["depth"]:
        assert sum(row["words"]) == round(row["features_share"] * n)
    last = found["depth"][len(measure.SHARES) - 1]
    count = np.bincount(measure.depths_of(world.heads, world.starts), minlength=8)
    assert last["words"] == count.tolist()


def test_gaps_are_differences_of_the_curves(found):
    uas = {
        (row["policy"], row["features_share"]): row["uas"] for row in found["rows"] if not row["dictionary"]
    }
    for row in found["compared"]:
        accuracy, share = uas[row["policy"], row["features_share"]], row["features_share"]
        assert row["minus_uniform"] == pytest.approx(accuracy - uas["uniform", share])
        assert row["minus_full"] == pytest.approx(accuracy - uas["uniform", 1.0])
        low, high = row["minus_full_interval"]
        assert low <= row["minus_full"] <= high
    assert sum(row["is_chosen"] for row in found["compared"]) == len(measure.COMPARED)
    assert all(row["us_per_word"] > 0 for row in found["templates"])
