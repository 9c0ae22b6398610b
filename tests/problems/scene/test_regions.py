"""Regions, their borders, shapes and codes against definitions written out slowly."""

import itertools

import numpy as np
import pytest
from scipy import ndimage
from skimage.segmentation import felzenszwalb

from spcviz.engine.errors import ArgumentError
from spcviz.problems.scene.data import render
from spcviz.problems.scene.model import descriptors, extract, features, segments


@pytest.fixture(scope="module")
def street():
    return render.street(5)[0]


@pytest.fixture(scope="module")
def tree(street):
    return segments.hierarchy(street)


@pytest.fixture(scope="module")
def vocabulary(street):
    rng = np.random.default_rng(0)
    books = {}
    for group in descriptors.GROUPS:
        described = descriptors.describe(street, group)
        centres = described[rng.choice(len(described), descriptors.N_CENTRES, replace=False)]
        books[group] = descriptors.Codebook(centres, np.full(described.shape[1], 0.5, np.float32))
    ones = np.ones(features.N_COLUMNS, np.float32)
    return features.PictureVocabulary(books, features.Scales(-ones, 4 * ones))


def test_levels_are_nested_and_grow(tree):
    counts = [tree.n_regions(level) for level in range(segments.N_LEVELS)]
    assert counts == sorted(counts, reverse=True)
    assert counts[0] > 5 * counts[-1]
    for below, above in zip(tree.member, tree.member[1:]):
        for region in np.unique(below):
            assert len(np.unique(above[below == region])) == 1
        assert set(above) == set(range(above.max() + 1))


def test_the_blur_is_scipy_s(street):
    blurred = segments._smooth(street[:40, :52])
    wanted = ndimage.gaussian_filter(
        street[:40, :52].astype(float), (segments.SIGMA, segments.SIGMA, 0), mode="nearest"
    )
    np.testing.assert_allclose(blurred, wanted.transpose(2, 0, 1), atol=1e-3)


def test_edges_join_eight_neighbours_and_come_lightest_first():
    colour = np.random.default_rng(3).random((5, 6, 3)).astype(np.float32) * 255
    edges = segments._pixel_edges(colour.transpose(2, 0, 1).copy())
    first, way = edges.order // 4, edges.order % 4
    second, weight = first + edges.ahead[way], edges.weight[way, first]
    at = {p: divmod(p, 6) for p in range(30)}
    wanted = {
        (p, q): np.linalg.norm(colour[at[p]] - colour[at[q]])
        for p in at
        for q in at
        if p < q and max(abs(at[p][0] - at[q][0]), abs(at[p][1] - at[q][1])) == 1
    }
    weights = dict(zip(zip(first.tolist(), second.tolist()), weight))
    assert len(weights) == len(first)
    assert weights.keys() == wanted.keys()
    for pair, distance in wanted.items():
        assert weights[pair] == pytest.approx(distance, rel=1e-5)
    assert (np.diff(weight) > -442 / segments._N_WEIGHTS).all()


def test_level_zero_is_that_of_scikit_image(street):
    wanted = felzenszwalb(street, scale=segments.SCALE, sigma=segments.SIGMA, min_size=segments.LEAST)
    atoms = segments.hierarchy(street, 1).atoms
    assert atoms.max() == pytest.approx(wanted.max(), rel=0.02)
    same = [labels[:, 1:] == labels[:, :-1] for labels in (atoms, wanted)]
    assert (same[0] == same[1]).mean() > 0.99  # they differ where weights tie


def test_pixels_and_colours_of_regions_are_added_up(street, tree):
    size, sums = segments._sums(tree.atoms, street, tree.n_regions(0))
    for r in (0, 7, tree.n_regions(0) - 1):
        assert size[r] == (tree.atoms == r).sum()
        np.testing.assert_array_equal(sums[r], street[tree.atoms == r].sum(axis=0))


def test_fewer_levels_are_the_first_ones(street, tree):
    few = segments.hierarchy(street, 3)
    np.testing.assert_array_equal(few.member, tree.member[:3])
    np.testing.assert_array_equal(few.borders[2].length, tree.borders[2].length)


def test_borders_count_pixel_sides(tree):
    for level in (0, 3, 6):
        labels, wanted = tree.member[level][tree.atoms], {}
        for i in range(labels.shape[0]):
            for j in range(labels.shape[1]):
                for di, dj in ((0, 1), (1, 0)):
                    if i + di < labels.shape[0] and j + dj < labels.shape[1]:
                        a, b = labels[i, j], labels[i + di, j + dj]
                        if a != b:
                            wanted.setdefault((a, b), np.zeros(3))
                            wanted.setdefault((b, a), np.zeros(3))
                            wanted[a, b] += (1, 0, di)
                            wanted[b, a] += (1, di, 0)
        borders = tree.borders[level]
        lengths = dict(zip(zip(borders.first.tolist(), borders.second.tolist()), borders.length))
        assert len(lengths) == len(borders.first)
        assert lengths.keys() == wanted.keys()
        for pair, length in wanted.items():
            np.testing.assert_array_equal(lengths[pair], length)


def merged(weight, scale, least):
    """Labels of four regions in a row after merging."""
    a, b = np.uint32([0, 1, 2]), np.uint32([1, 2, 3])
    edges = segments._Edges(np.uint32([0, 1, 2]), np.array([weight]), a, b, segments._NONE)
    return segments._merge(edges, np.uint32([100, 100, 100, 1]), scale, least).tolist()


def test_merging_follows_the_criterion():
    assert merged([1.0, 5.0, 50.0], 200.0, 0.0) == [0, 0, 1, 2]  # 1 <= 200 / 100; 5 > 1 + 200 / 200; 50 > 2
    assert merged([1.0, 5.0, 50.0], 200.0, 2.0) == [0, 0, 1, 1]  # the small one joins its neighbour
    assert merged([1.0, 2.0, 50.0], 200.0, 0.0) == [0, 0, 0, 1]


def test_merging_is_that_of_sets():
    rng = np.random.default_rng(4)
    for least in (0, 3, 8):
        n, size = 30, rng.integers(1, 5, 30).astype(np.uint32)
        a = np.concatenate([np.arange(n - 1), rng.integers(0, n - 1, 60)]).astype(np.uint32)
        b = (a + rng.integers(1, n - a)).astype(np.uint32)
        weight = np.sort(rng.random(len(a)) * 10)
        sets, limit = [{i} for i in range(n)], list(8.0 / size)
        for must in (False, True):
            for i, j, edge_weight in zip(a, b, weight):
                pixels = [sum(size[k] for k in sets[at]) for at in (i, j)]
                may = min(pixels) < least if must else edge_weight <= min(limit[i], limit[j])
                if sets[i] is not sets[j] and may:
                    both = sets[i] | sets[j]
                    for k in both:
                        sets[k], limit[k] = both, edge_weight + 8.0 / sum(pixels)
        wanted, number = [], {}
        for i in range(n):
            wanted.append(number.setdefault(min(sets[i]), len(number)))
        edges = segments._Edges(np.arange(len(a), dtype=np.uint32), weight[None], a, b, segments._NONE)
        assert segments._merge(edges, size.copy(), 8.0, float(least)).tolist() == wanted


def test_shape_of_a_level_is_that_of_its_pixels(tree):
    level, tall, wide = 4, *tree.atoms.shape
    shapes = dict(
        zip(features.SHAPE_NAMES, features.shapes_of_level(features.shapes_of_atoms(tree), tree, level).T)
    )
    labels = tree.member[level][tree.atoms]
    for r in range(tree.n_regions(level)):
        rows, columns = np.nonzero(labels == r)
        assert shapes["log area"][r] == pytest.approx(np.log(len(rows) / (tall * wide)), abs=1e-5)
        assert shapes["x"][r] == pytest.approx(columns.mean() / wide, abs=1e-5)
        assert shapes["y"][r] == pytest.approx(rows.mean() / tall, abs=1e-5)
        for name, wanted in (
            ("left", columns.min() / wide),
            ("right", (columns.max() + 1) / wide),
            ("top", rows.min() / tall),
            ("touches bottom", (rows == tall - 1).sum() / wide),
        ):
            assert shapes[name][r] == pytest.approx(wanted, abs=1e-5)
        assert shapes["bottom"][r] == pytest.approx((rows.max() + 1) / tall, abs=1e-5)
        assert shapes["width"][r] == pytest.approx((np.ptp(columns) + 1) / wide, abs=1e-5)
        assert shapes["touches top"][r] == pytest.approx((rows == 0).sum() / wide, abs=1e-5)
        assert shapes["touches a side"][r] == pytest.approx(
            np.isin(columns, [0, wide - 1]).sum() / tall, abs=1e-5
        )
        spread = np.cov(np.stack([columns, rows]), bias=True) + np.eye(2) / 12
        longest = np.sqrt(np.linalg.eigvalsh(spread)[-1]) / np.hypot(tall, wide)
        assert shapes["long axis"][r] == pytest.approx(longest, rel=1e-3)


@pytest.mark.parametrize("group", descriptors.GROUPS)
def test_a_code_is_the_same_alone_and_by_its_definition(group, street, vocabulary):
    book, described = vocabulary.books[group], descriptors.describe(street, group)
    assert described.shape[1] == descriptors.LENGTHS[group]
    all_codes = descriptors.codes(book, described, np.arange(descriptors.N_CENTRES))
    alone = descriptors.codes(book, described, np.array([17]))[:, 0]
    np.testing.assert_allclose(alone, all_codes[:, 17], rtol=1e-3, atol=2e-3)
    few = described[::997] / book.scale
    distance = ((few[:, None].astype(float) - book.centres[None]) ** 2).sum(axis=2)
    wanted = np.maximum(distance.mean(axis=1, keepdims=True) - distance, 0)
    np.testing.assert_allclose(all_codes[::997], wanted, rtol=1e-3, atol=1e-2)


def test_texture_is_blurred_opponent_colours_their_blobs_and_slopes(street):
    texture = descriptors.texture(street).reshape(street.shape[0] // 2, street.shape[1] // 2, 17)
    tall, wide = texture.shape[:2]
    red, green, blue = np.moveaxis(street.reshape(tall, 2, wide, 2, 3).mean(axis=(1, 3)) / 255, 2, 0)
    opponent = [(red + green + blue) / 3, red - green, (red + green) / 2 - blue]

    def blurred(channel, sigma):
        return ndimage.gaussian_filter(channel, sigma, mode="nearest", truncate=3)

    once, twice = ([blurred(channel, sigma) for channel in opponent] for sigma in (1, 2))
    grey = [opponent[0], once[0], twice[0], blurred(twice[0], 3.5), blurred(twice[0], 7)]
    blobs = [a - b for a, b in itertools.pairwise(grey)]
    slopes = [
        ndimage.correlate1d(channel, (-0.5, 0, 0.5), axis, mode="nearest")
        for channel in grey[1:3]
        for axis in (0, 1)
    ]
    wanted = np.stack([*opponent, *once, *twice, *blobs, *slopes], axis=2)
    np.testing.assert_allclose(texture, wanted, atol=2e-6)


def test_patterns_are_roots_of_shares_of_uniform_patterns_around(street):
    small = street[:24, :32]
    patterns = descriptors.patterns(small).reshape(6, 8, 59)
    grey = np.pad(small.sum(axis=2, dtype=int), 1, mode="edge")
    ring = [(0, 0), (0, 1), (0, 2), (1, 2), (2, 2), (2, 1), (2, 0), (1, 0)]
    bits = np.stack([grey[di : di + 24, dj : dj + 32] >= grey[1:-1, 1:-1] for di, dj in ring], axis=-1)
    smooth = [
        b for b in itertools.product([0, 1], repeat=8) if sum(x != y for x, y in zip(b, b[1:] + b[:1])) <= 2
    ]
    smooth = sorted(smooth, key=lambda b: sum(x << k for k, x in enumerate(b)))
    number = np.array(
        [
            [smooth.index(b) if b in smooth else 58 for b in map(tuple, row)]
            for row in bits.astype(int).tolist()
        ]
    )
    for i, j in ((0, 0), (2, 3), (5, 7), (0, 4), (3, 0)):
        window = number[max(4 * i - 4, 0) : 4 * i + 8, max(4 * j - 4, 0) : 4 * j + 8]
        share = np.bincount(window.ravel(), minlength=59) / window.size
        np.testing.assert_allclose(patterns[i, j], np.sqrt(share), atol=1e-6)


def test_gradients_are_clipped_histograms_of_directions_in_cells(street):
    small = street[:24, :32].astype(float).mean(axis=2)
    gradients = descriptors.gradients(street[:24, :32]).reshape(6, 8, 4, 4, 8)
    padded = np.pad(small, 1, mode="edge")
    dx, dy = padded[1:-1, 2:] - padded[1:-1, :-2], padded[2:, 1:-1] - padded[:-2, 1:-1]
    length, turn = np.hypot(dx, dy), (np.arctan2(dy, dx) / (2 * np.pi) + 1) * 8
    cells = np.zeros((9, 11, 8))  # two empty ones before, one after
    for i, j in np.ndindex(24, 32):
        low, share = int(turn[i, j]), turn[i, j] % 1
        cells[i // 4 + 2, j // 4 + 2, low % 8] += length[i, j] * (1 - share)
        cells[i // 4 + 2, j // 4 + 2, (low + 1) % 8] += length[i, j] * share
    for i, j in np.ndindex(6, 8):
        block = cells[i : i + 4, j : j + 4]
        block = np.minimum(block / (np.sqrt((block**2).sum() + 1e-4) + 16), 0.2)
        np.testing.assert_allclose(gradients[i, j], block / np.sqrt((block**2).sum() + 1e-4), atol=1e-4)
    colours = descriptors.colour_gradients(street[:24, :32])
    red = np.repeat(street[:24, :32, :1], 3, axis=2)
    np.testing.assert_allclose(colours[:, :128], descriptors.gradients(red), atol=1e-6)


def test_pooled_codes_are_means_over_pixels(street, tree):
    rng = np.random.default_rng(1)
    tall, wide = tree.atoms.shape
    values = rng.random((2, tall // 4 * (wide // 4))).astype(np.float32)
    pixels = np.repeat(np.repeat(values.reshape(2, tall // 4, wide // 4), 4, axis=1), 4, axis=2)
    grid = descriptors.grid(tree.atoms, 4)
    assert len(set(zip(grid.atom.tolist(), grid.point.tolist()))) == len(grid.atom)
    pooled = descriptors.pool(np.ascontiguousarray(values.T), grid, tree.n_regions(0))
    size = np.bincount(tree.atoms.ravel())
    share = (size / np.bincount(tree.member[5], size)[tree.member[5]]).astype(np.float32)
    raised = descriptors.raise_to(pooled, tree.member[5], share, tree.n_regions(5))
    for labels, means in ((tree.atoms, pooled), (tree.member[5][tree.atoms], raised)):
        for r in range(0, len(means), 7):
            np.testing.assert_allclose(means[r], pixels[:, labels == r].mean(axis=1), rtol=1e-4)


def test_what_is_asked_for_is_what_all_at_once_gives(street, vocabulary):
    seen, columns = features.LazyPicture(street, vocabulary), np.array([0, 4, 30, 31, 200, 500])
    assert not seen.begun
    one = seen.steps(3, columns[:3])[:, columns[:3]].copy()
    assert seen.begun == {"SHAPE", "TXT"}
    whole, every = features.LazyPicture(street, vocabulary), np.arange(features.N_COLUMNS)
    for level in (0, 3):
        steps = seen.steps(level, columns)[:, columns].astype(int)
        wanted = whole.steps(level, every)[:, columns]
        assert np.abs(steps - wanted).max() <= 1  # rounding may cross a step
        assert (steps == wanted).mean() > 0.99
    np.testing.assert_array_equal(one, seen.steps(3, columns[:3])[:, columns[:3]])
    assert not seen.steps(3, columns)[:, 32:171].any()


def test_steps_are_shares_of_the_span_and_of_codes_roots():
    low, span = np.float32([1, 0]), np.float32([4, 16])
    scales = features.Scales(
        np.zeros(features.N_COLUMNS, np.float32), np.ones(features.N_COLUMNS, np.float32)
    )
    columns = np.array([2, 300])
    scales.low[columns], scales.span[columns] = low, span
    values = np.float32([[0, -3], [2, 1], [3.1, 4], [9, 99]])
    wanted = [[0, 0], [15, 15], [33, 31], [63, 63]]
    out = np.full((4, features.N_COLUMNS), 7, dtype=np.uint8)
    scales.write(out, values, columns)
    np.testing.assert_array_equal(out[:, columns], wanted)
    assert (np.delete(out, columns, axis=1) == 7).all()


def test_parts_are_put_together_with_their_pictures_apart(vocabulary):
    from spcviz.problems.scene.data import camvid

    pictures = [extract.one(camvid.StreetScene(str(s), *render.street(s)), vocabulary) for s in (1, 2, 3)]
    both = extract.join_parts([extract.as_arrays(pictures[:2]), extract.as_arrays(pictures[2:])])
    last, structure = pictures[2], both.structure
    assert structure.example[-1] == 2
    here = structure.example == 2
    for level in (0, 4):
        first = structure.n_regions(level) - last[0].n_regions(level)
        np.testing.assert_array_equal(structure.levels[level].member[here] - first, last[0].member[level])
        np.testing.assert_array_equal(structure.levels[level].steps[first:], last[1][level])
        pairs = structure.levels[level].first >= first
        np.testing.assert_array_equal(
            structure.levels[level].first[pairs] - first, last[0].borders[level].first
        )


@pytest.mark.parametrize(
    "picture",
    [np.zeros((20, 20), np.uint8), np.zeros((20, 20, 3)), np.zeros((18, 20, 3), np.uint8),
     np.zeros((12, 20, 3), np.uint8), np.zeros((800, 800, 3), np.uint8)],
)  # fmt: skip
def test_pictures_that_cannot_be_cut_are_refused(picture):
    with pytest.raises(ArgumentError, match="picture must have"):
        segments.hierarchy(picture)
