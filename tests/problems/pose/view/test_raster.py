"""Lines by their pixels, compared with a search of all lines for every pixel (under node)."""

import numpy as np
import pytest

from tests.node import needs_node, run_node

WIDE, HIGH = 40, 30
UNDER, FALLEN = 30, {"colour": [200, 200, 200], "strength": 0.25}
COLOURS = ([255, 0, 0], [0, 0, 255])

MAIN = """
const [wide, high] = data.size, made = data.limbs.map((o) => core.topLines(o.ends, o.widths, wide, high));
const under = new Uint8ClampedArray(4 * wide * high).fill(data.under), n = under.length;
const paint = (cuts, out, before) => {
  const limbs = data.limbs.map((own, p) => ({ ...own, top: made[p], cut: cuts[p] }));
  core.paintChanges(out, under, limbs, data.fallen, before);
  return Array.from(out);
};
const fresh = data.cuts.map((cuts) => paint(cuts, new Uint8ClampedArray(n), null));
const out = new Uint8ClampedArray(n), moved = data.cuts.map((cuts, i) => paint(cuts, out, data.cuts[i - 1]));
const stamped = under.slice();
core.stamp(stamped, data.limbs[0].ends.slice(4, 8), 4, [255, 0, 0], 0.5, wide, high);
const tops = made.map((top) => ["rank", "cover", "order", "start"].map((key) => Array.from(top[key])));
console.log(JSON.stringify({ tops, fresh, moved, stamped: Array.from(stamped) }));
"""


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    rng = np.random.default_rng(3)
    limbs = []
    for colour in COLOURS:
        n = 25
        ends = rng.uniform(-8, 48, (n, 4)).round(2)
        ends[0], ends[1] = (5, 5, 5, 5), (10, 3, 10, 22)  # a point, and a line straight down
        limbs.append({"ends": ends.ravel().tolist(), "widths": rng.uniform(1, 5, n).round(2).tolist(),
                      "colour": colour, "strength": rng.uniform(0.2, 1, n).round(2).tolist()})  # fmt: skip
    cuts = [[0, 0], [7, 3], [7, 20], [25, 25], [4, 11], [0, 25]]
    data = {"size": [WIDE, HIGH], "limbs": limbs, "under": UNDER, "fallen": FALLEN, "cuts": cuts}
    return data, run_node(tmp_path_factory.mktemp("raster"), "problems/pose/view/pose_raster.js", MAIN, data)


def covers(ends, width):
    """Share of every pixel that a line covers, by the distance of its centre line along the minor axis."""
    x1, y1, x2, y2 = ends
    if abs(x2 - x1) < abs(y2 - y1):
        return covers_flat((y1, x1, y2, x2), width, HIGH, WIDE).T
    return covers_flat(ends, width, WIDE, HIGH)


def covers_flat(ends, width, wide, high):
    a1, b1, a2, b2 = ends
    slope = 0.0 if a1 == a2 else (b2 - b1) / (a2 - a1)
    a, b = np.meshgrid(np.arange(wide) + 0.5, np.arange(high) + 0.5)
    away = np.abs(b - b1 - slope * (a - a1))
    share = np.clip(width / 2 * np.hypot(1, slope) + 0.5 - away, 0, 1)
    first, last = (np.floor(end + 0.5) for end in (min(a1, a2), max(a1, a2)))
    return share * ((a - 0.5 >= first) & (a - 0.5 < last))


@needs_node
def test_the_strongest_line_that_covers_half_a_pixel_lies_on_top(made):
    data, output = made
    for limb, top in zip(data["limbs"], output["tops"]):
        shares = np.stack(
            [covers(ends, w) for ends, w in zip(np.reshape(limb["ends"], (-1, 4)), limb["widths"])]
        )
        rank, cover = (np.reshape(layer, (HIGH, WIDE)) for layer in top[:2])
        order, start = top[2], np.array(top[3])
        assert (np.diff(start)[:-1] == np.bincount(rank.ravel(), minlength=len(shares) + 1)[1:]).all()
        assert (rank.ravel()[order] == np.repeat(np.arange(len(shares)) + 1, np.diff(start)[:-1])).all()
        for y, x in np.ndindex(rank.shape):
            coverages = np.rint(255 * shares[:, y, x])
            expected = 0
            for i, share in enumerate(coverages):
                if share > 0 and (share >= 128 or share > (coverages[expected - 1] if expected else 0)):
                    expected = i + 1
            assert rank[y, x] == expected
            assert abs(cover[y, x] - (coverages[expected - 1] if expected else 0)) <= 1


@needs_node
def test_what_stands_is_painted_over_the_frame_and_changes_come_to_the_same(made):
    data, output = made
    assert output["moved"] == output["fresh"]
    ranks, covered = ([np.array(top[n], dtype=float) for top in output["tops"]] for n in (0, 1))
    for cuts, picture in zip(data["cuts"], output["fresh"]):
        expected = np.full((WIDE * HIGH, 3), float(UNDER))
        for limb, rank, cover, cut in zip(data["limbs"], ranks, covered, cuts):
            strength = np.concatenate([[0.0], limb["strength"]])[rank.astype(int)]
            a = np.where(rank > cut, strength, FALLEN["strength"] * (rank > 0)) * cover / 255
            colour = np.where((rank > cut)[:, None], limb["colour"], FALLEN["colour"])
            expected += a[:, None] * (colour - expected)
        drawn = np.reshape(picture, (-1, 4))
        assert np.abs(drawn[:, :3] - expected).max() <= 1
        touched = (ranks[0] > 0) | (ranks[1] > 0)
        assert (drawn[touched, 3] == 255).all()
    assert output["fresh"][0] != output["fresh"][3]


@needs_node
def test_a_stamped_line_is_blended_where_it_lies(made):
    _, output = made
    expected = np.full((HIGH, WIDE, 4), float(UNDER))
    share = 0.5 * covers((10, 3, 10, 22), 4)
    expected[..., :3] += share[..., None] * (np.array(COLOURS[0]) - UNDER)
    assert np.abs(np.reshape(output["stamped"], (HIGH, WIDE, 4)) - expected).max() <= 1
    assert (share > 0).sum() > 60
