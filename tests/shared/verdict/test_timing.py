"""Two searches are timed alternately, on the same groups."""

from spcviz.shared.verdict.sequences import timed_groups


def test_contenders_take_turns_on_every_group():
    runs = []
    groups = [("a", 1), ("b", 2)]
    contenders = [lambda *one, name=name: runs.append((name, *one)) for name in ("cascade", "dense")]
    times = timed_groups(*contenders, groups, 3, 12)
    assert [name for name, *_ in runs] == ["cascade", "dense"] * 6
    assert [one[1:] for one in runs] == [group for group in groups for _ in range(6)]
    assert (len(times.cascade), len(times.dense), times.order, times.n) == (2, 2, 3, 12)
