"""Paper tables of pose-people: sentences and tables, from a small result."""

from spcviz.problems.pose.paper import result

ROW = {"data": "buffy", "n_pictures": 138, "survivors_pcp25": 97.0, "top4_pcp25": 90.0, "best_pcp50": 88.0,
       "best_pcp50_stderr": 2.0, "mean_pose_pcp50": 70.0}  # fmt: skip
BLIND = ROW | {"data": "signs", "best_pcp50": 71.0, "mean_pose_of_others_pcp50": 80.0}
UNKNOWN = ROW | dict.fromkeys([key for key in ROW if "pcp" in key]) | {"data": "astronaut"}
RESULT = {
    "name": "pose-people",
    "rows": [ROW, BLIND, UNKNOWN],
    "gallery": [{"data": "signs, A", "picture": "help 9", "said": "The torso is 40 pixels off."}],
    "settings": {"lspet_rule": "upright"},
}


def test_a_mean_pose_that_wins_is_said_first():
    (said,) = result.misses(RESULT)
    assert said == (
        "On signing, five people a mean pose that never looks at the picture is better than the best guess: "
        "80.0 against 71.0 % of limbs (PCP 0.5)."
    )
    assert result.sentence(RESULT).startswith(said)
    near = {"rows": [ROW | {"mean_pose_pcp50": 85.0}]}
    assert "may be as good (open) as the best guess" in result.misses(near)[0]
    above = {"rows": [ROW | {"mean_pose_pcp50": ROW["best_pcp50"] + 0.1}]}
    assert "(open)" in result.misses(above)[0]  # beyond two standard errors only it is better
    assert result.misses({"rows": [ROW]}) == []
    compared = "Buffy, test episodes 88.0 against 70.0; signing, five people 71.0 against 80.0"
    assert result.compare_guess(RESULT) == compared


def test_tables_have_every_set_and_every_failure():
    assert list(result.frame(RESULT).index) == [
        "Buffy, test episodes",
        "signing, five people",
        "astronaut",
    ]
    assert result.frame(RESULT)["best guess PCP 0.5 %"].tolist()[:2] == [88.0, 71.0]
    assert result.failures_frame(RESULT)["why"].tolist() == ["The torso is 40 pixels off."]
    assert result.failures_frame({}).empty


def test_a_failure_is_drawn_and_said():
    failure = RESULT["gallery"][0] | {"limbs": [[[1, 2], [3, 4]]] * 3, "truth": [[[5, 6], [7, 8]]] * 3}
    svg = result.failure_svg(failure, "data:image/jpeg;base64,AA")
    assert svg.count("M1 2L3 4") == svg.count("M5 6L7 8") == 3
    assert 'href="data:image/jpeg;base64,AA"' in svg
    assert result.failure_said(failure) == "signing, five people, help 9. The torso is 40 pixels off."
    assert result.without_pictures([failure]).endswith(
        "- signing, five people, help 9. The torso is 40 pixels off."
    )
