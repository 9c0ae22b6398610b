"""The grid itself, side by side: the drawing, and that the first grid tells its intended story."""

import base64
import itertools
import re

import numpy as np
import pytest
from scipy.special import logsumexp

from spcviz.problems.grids import fields
from spcviz.problems.grids.page import maps, text
from spcviz.problems.grids.page.live import grid_beliefs, live_grid
from spcviz.problems.grids.shown import OPENING
from spcviz.web.figures import palette
from tests.problems.grids.test_charts import COMBS, LIVE, LOOSE, SHARES

SIDE = {name: OPENING[name] for name in ("rows", "columns", "classes")}


def opening_at(strength, seed=OPENING["seed"]):
    live = live_grid(*SIDE.values(), strength, seed)
    beliefs = grid_beliefs(live)
    return live, beliefs, maps.panels(live, beliefs, OPENING["comb"])


def wrong_at(strength, seed=OPENING["seed"]):
    """(cells that the comb, all combs, belief propagation get wrong)."""
    _, _, (_, comb, ensemble, lbp) = opening_at(strength, seed)
    return comb.n_wrong, ensemble.n_wrong, lbp.n_wrong


def exact_marginals(instance):
    """log P(state) of every cell up to a constant, by passing whole rows: (N, K)."""
    rows, columns, n = instance.unary.shape
    lines = np.array(list(itertools.product(range(n), repeat=columns)))
    at = np.arange(columns)
    within = [
        instance.unary[r][at, lines].sum(axis=1)
        + instance.across[r][at[:-1], lines[:, :-1], lines[:, 1:]].sum(axis=1)
        for r in range(rows)
    ]
    between = [table[at, lines[:, None], lines[None]].sum(axis=2) for table in instance.down]
    above, below = [within[0]], [np.zeros(len(lines))]
    for r in range(rows - 1):
        above.append(logsumexp(above[-1][:, None] + between[r], axis=0) + within[r + 1])
    for r in range(rows - 2, -1, -1):
        below.insert(0, logsumexp(between[r] + within[r + 1] + below[0], axis=1))
    return np.array(
        [
            [logsumexp((above[r] + below[r])[lines[:, c] == k]) for k in range(n)]
            for r in range(rows)
            for c in range(columns)
        ]
    )


def test_the_row_by_row_marginals_are_those_of_enumeration():
    instance = fields.random_grid(np.random.default_rng(0), 3, 2, 2, 3.0)
    score = {}
    for labels in itertools.product(range(2), repeat=6):
        y = np.reshape(labels, (3, 2))
        score[labels] = sum(instance.unary[r, c, y[r, c]] for r in range(3) for c in range(2))
        score[labels] += sum(instance.across[r, 0, y[r, 0], y[r, 1]] for r in range(3))
        score[labels] += sum(instance.down[r, c, y[r, c], y[r + 1, c]] for r in range(2) for c in range(2))
    wanted = [[logsumexp([s for y, s in score.items() if y[i] == k]) for k in range(2)] for i in range(6)]
    np.testing.assert_allclose(exact_marginals(instance), wanted)


def test_the_first_scene_has_belief_propagation_fail_and_all_combs_hold():
    comb, ensemble, lbp = wrong_at(OPENING["strength"])
    n = SIDE["rows"] * SIDE["columns"]
    assert ensemble == 0
    assert comb >= 3
    assert lbp > n / 2
    live, beliefs, shown = opening_at(OPENING["strength"])
    assert f"wrong at {lbp} of {n} cells, all combs together at {ensemble}" in text.grids(
        live, beliefs, shown
    )
    assert not beliefs.converged.any()


def test_the_slider_makes_belief_propagation_fail_and_not_the_combs():
    for strength in (2.0, 4.0, 5.0):
        _, ensemble, lbp = wrong_at(strength)
        assert lbp < ensemble <= 3
    for strength in (6.0, 8.0, 10.0, 12.0, 15.0, 25.0, 40.0):
        comb, ensemble, lbp = wrong_at(strength)
        assert ensemble <= 2
        assert ensemble < comb
        assert lbp >= 5


@pytest.mark.parametrize("strength", [8.0, 12.0, 15.0, 25.0])
def test_the_first_scene_s_story_is_not_one_of_the_samples(strength):
    """Chains of samples may get stuck under strong coupling; against exact marginals the story holds, too."""
    live, beliefs, _ = opening_at(strength)
    instance = fields.random_grid(np.random.default_rng(OPENING["seed"]), *SIDE.values(), strength)
    truth = exact_marginals(instance).argmax(axis=1)
    ensemble, lbp = (int((scores.argmax(axis=1) != truth).sum()) for scores in (live.summed, beliefs.beliefs))
    assert ensemble <= 1
    assert lbp >= 5
    assert (live.frequencies.argmax(axis=1) != truth).sum() <= 2


def test_the_comb_that_is_shown_is_about_as_good_as_most():
    live, _, shown = opening_at(OPENING["strength"])
    alone = maps.wrong_of_combs(live)
    assert alone[OPENING["comb"]] == shown[1].n_wrong
    assert abs(shown[1].n_wrong - alone.mean()) <= 1


def test_most_grids_of_its_size_are_not_like_it_as_the_page_says():
    better = [np.sign(ensemble - lbp) for _, ensemble, lbp in (wrong_at(12.0, seed) for seed in range(25))]
    assert better.count(1) > 25 / 2
    assert "on most, belief propagation is right more often" in text.explain_choice(None)


def test_the_result_of_the_thesis_stands_beside_the_choice():
    rows = [
        {"method": m, "k": k, "error": e / k} for m, e in (("ensemble", 0.5), ("lbp", 0.6)) for k in (1, 2)
    ]
    settings = {"n_instances": 7, "rows": 3, "columns": 4, "n_states": 5, "strength": 25.0}
    said = text.explain_choice({"rows": rows, "settings": settings})
    assert "over 7 grids of 3 × 4 with 5 classes and ω = 25" in said
    assert "50.0 % of the true states with all combs and 60.0 % with belief propagation" in said
    assert "On average" not in text.explain_choice({"rows": rows[:2], "settings": settings})


@pytest.mark.parametrize("colours", [palette.LIGHT, palette.DARK])
def test_each_wrong_cell_is_crossed_and_each_edge_of_the_method_drawn(colours):
    shown = maps.panels(LIVE, LOOSE, 1)
    truth = SHARES.argmax(axis=1)
    assert [panel.n_wrong for panel in shown] == [
        0,
        (COMBS[1].argmax(axis=1) != truth).sum(),
        (COMBS.sum(axis=0).argmax(axis=1) != truth).sum(),
        (LOOSE.beliefs.argmax(axis=1) != truth).sum(),
    ]
    for panel in shown:
        svg = maps.picture(LIVE, panel, colours)
        assert svg.count('class="wrong"') == panel.n_wrong
        assert svg.count('class="edge"') == panel.edges.sum()
        assert [int(k) for k in re.findall(r">(\d)</text>", svg)] == (panel.states + 1).tolist()
    assert [panel.edges.sum() for panel in shown] == [4, 3, 4, 4]


def test_the_html_says_in_words_what_the_pictures_show():
    shown = maps.panels(LIVE, LOOSE, 1)
    html = maps.side_by_side(LIVE, shown, palette.LIGHT)
    assert html.count("<img") == 4
    assert 'alt="Truth: 4 cells, most frequent of 100 samples"' in html
    for panel in shown[1:]:
        assert f'alt="{panel.title}: 4 cells, {panel.n_wrong} of 4 wrong"' in html
    (first, *_) = re.findall(r"base64,([^\"]+)", html)
    assert base64.b64decode(first).decode() == maps.picture(LIVE, shown[0], palette.LIGHT)


@pytest.mark.parametrize(
    ("ensemble", "lbp", "said"),
    [(1, 3, "wrong at 3 of 4 cells, all combs together at 1"), (3, 1, "the better one"), (2, 2, "A draw")],
)
def test_the_sentence_names_who_is_better(ensemble, lbp, said):
    of = maps.Panel("x", "X", np.zeros(4), np.zeros(4, bool), np.ones(4, bool))
    wrong = [of._replace(wrong=np.arange(4) < n) for n in (0, 2, ensemble, lbp)]
    sentence = text.grids(LIVE, LOOSE, wrong)
    assert said in sentence
    assert "still changing at 4 of them" in sentence
    assert "settle." in text.grids(LIVE, LOOSE._replace(converged=np.ones(4, bool)), wrong)
